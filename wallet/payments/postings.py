"""The postings of deposits and withdrawals, each under a key of its own."""

from django.contrib.auth.models import AbstractBaseUser

from wallet.base.money import REAL
from wallet.ledger.accounts import AccountName, balance_name, open_account
from wallet.ledger.ledger import Line, post
from wallet.models import HELD, Account, AccountKind, Posting, Reason
from wallet.payments.models import Deposit, SuspenseItem, Withdrawal


def pay_in(deposit: Deposit) -> Posting:
    """Credit the deposit to the player's balance, once."""
    line = Line(_gateway(deposit), _balance_account(deposit), deposit.amount)
    return post(key=f"deposit:{deposit.pk}", lines=[line], reason=Reason.DEPOSIT)


def put_on_hold(withdrawal: Withdrawal) -> Posting:
    """Put the amount on hold. InsufficientBalance."""
    line = Line(_balance_account(withdrawal), _hold_account(withdrawal), withdrawal.amount)
    return post(key=f"withdrawal:{withdrawal.pk}:hold", lines=[line], reason=Reason.WITHDRAW)


def pay_out(withdrawal: Withdrawal) -> Posting:
    """Pay out the amount on hold. InsufficientBalance where nothing is on hold any more."""
    line = Line(_hold_account(withdrawal), _gateway(withdrawal), withdrawal.amount)
    return post(key=f"withdrawal:{withdrawal.pk}:paid", lines=[line], reason=Reason.PAID_OUT)


def release_hold(withdrawal: Withdrawal) -> Posting:
    """Return the amount on hold to the player's balance. InsufficientBalance where nothing is on hold."""
    line = Line(_hold_account(withdrawal), _balance_account(withdrawal), withdrawal.amount)
    return post(key=f"withdrawal:{withdrawal.pk}:returned", lines=[line], reason=Reason.RETURNED)


def keep_in_suspense(item: SuspenseItem) -> Posting:
    """Put the arrived payment into suspense, once."""
    line = Line(_gateway(item), _suspense_account(item), item.amount)
    return post(key=f"suspense:{item.gateway}:{item.arrival}", lines=[line], reason=Reason.SET_ASIDE)


def send_back(item: SuspenseItem) -> Posting:
    """Send the payment in suspense back through its gateway. InsufficientBalance where none is there."""
    line = Line(_suspense_account(item), _gateway(item), item.amount)
    return post(key=f"suspense:{item.gateway}:{item.arrival}:back", lines=[line], reason=Reason.SENT_BACK)


def put_back(item: SuspenseItem, withdrawal: Withdrawal) -> Posting:
    """Credit the withdrawal that the bank has returned to its player's balance, only once."""
    line = Line(_suspense_account(item), _balance_account(withdrawal), item.amount)
    return post(key=f"withdrawal:{withdrawal.pk}:came_back", lines=[line], reason=Reason.CAME_BACK)


def lock_gateway(name: str, currency: str) -> None:
    """Lock the gateway's account until the transaction ends, so that its arrivals are handled one by one."""
    account = open_account(AccountName(AccountKind.GATEWAY, name), currency)
    Account.objects.select_for_update(of=("self",), no_key=True).get(pk=account.pk)


def holds_real_money(player: AbstractBaseUser) -> bool:
    """Return whether the player has an account of real money, even if it is empty."""
    return Account.objects.filter(HELD, owner_id=player.pk, currency__in=REAL).exists()


def on_hold(player: AbstractBaseUser) -> dict[str, int]:
    """Return the player's amounts on hold by currency, in smallest units."""
    accounts = Account.objects.filter(kind=AccountKind.WITHDRAWAL, owner_id=player.pk, balance__gt=0)
    sums: dict[str, int] = {}
    for code, balance in accounts.values_list("currency", "balance"):
        sums[code] = sums.get(code, 0) + balance
    return sums


def _gateway(row: Deposit | Withdrawal | SuspenseItem) -> Account:
    return open_account(AccountName(AccountKind.GATEWAY, row.gateway), row.currency)


def _balance_account(row: Deposit | Withdrawal) -> Account:
    return open_account(balance_name(row.player_id, row.currency), row.currency)


def _hold_account(row: Withdrawal) -> Account:
    return open_account(AccountName(AccountKind.WITHDRAWAL, f"withdrawal:{row.pk}", row.player_id), row.currency)


def _suspense_account(item: SuspenseItem) -> Account:
    return open_account(AccountName(AccountKind.SUSPENSE, f"suspense:{item.pk}"), item.currency)
