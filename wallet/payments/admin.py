"""Admin pages of payments and identities: each act asks for a reason and enters the audit trail."""

from typing import Any

from cryptography.fernet import InvalidToken
from django.contrib import admin
from django.db.models import F
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join

from wallet.backoffice.actions import ActionAdmin, AdminAction
from wallet.backoffice.asking import AskingAdmin
from wallet.backoffice.read_only import BookAdmin, ReadOnly
from wallet.base.errors import WalletError
from wallet.base.money import display
from wallet.base.report_zone import format_moment_with_utc
from wallet.payments import deposits, suspense, withdrawals
from wallet.payments.desk_forms import ArrivalForm, PayoutForm, ProofForm
from wallet.payments.identity import verification
from wallet.payments.identity.eligibility import obstacle, today, years
from wallet.payments.identity.jurisdictions import named
from wallet.payments.models import Deposit, GatewayEvent, Identity, SuspenseItem, Withdrawal
from wallet.payments.providers import vault
from wallet.payments.providers.test import Pretend


class DeskAdmin(ReadOnly, ActionAdmin):
    """A queue, undecided rows first, oldest first: one person confirms with the bank's reference, another decides."""

    moves_money = True
    refusals = (WalletError,)
    list_display: tuple[str, ...] = (
        "id", "player", "shown", "status", "gateway", "asked_at", "confirmed_by", "decided_by",
    )  # fmt: skip
    list_filter = ("status", "gateway")
    list_select_related = ("player", "confirmed_by", "decided_by")
    search_help_text = "The number, the bank's reference, or a player's name in full."
    ordering = (F("decided_at").asc(nulls_first=True), "id")

    @admin.display(description="amount", ordering="amount")
    def shown(self, row: Deposit | Withdrawal | SuspenseItem) -> str:
        return display(row.amount, row.currency)

    @admin.display(description="may play for money")
    def standing(self, row: Any) -> str:
        """Return whether the player may play for money; players who may not are still paid out."""
        reason = obstacle(row.player) if row.player is not None else None
        return f"not now, and is told: “{reason.message}”" if reason else "yes" if row.player else "nobody known"

    def facts(self, row: Any) -> list[tuple[str, str]]:
        """Return the facts that staff must see before they confirm or decide: amount, account, name, eligibility."""
        return [
            ("Amount", self.shown(row)),
            ("Player", f"{row.player}, number {row.player_id}" if row.player else "nobody known"),
            ("May play for money", self.standing(row)),
            ("By", row.gateway),
            *self.account_facts(row),
            ("The bank's reference", row.bank_reference or "none yet"),
            ("Confirmed by", str(row.confirmed_by or "nobody yet")),
            ("Status", row.get_status_display()),
        ]

    def account_facts(self, row: Any) -> list[tuple[str, str]]:
        """Return the facts about the account or payment."""
        return []


@admin.register(Deposit)
class DepositAdmin(DeskAdmin):
    row_actions = (
        AdminAction(
            "confirm",
            "Confirm the payment",
            "You have seen it at the bank. A second person approves it then.",
            "gateways.confirm_deposit",
            deposits.confirm,
            asks="The bank's reference",
            fits=lambda row: row.status == "asked" and row.gateway != Pretend.name,
        ),
        AdminAction(
            "approve",
            "Approve",
            "The amount goes to the player's balance.",
            "gateways.approve_deposit",
            deposits.approve,
            fits=lambda row: row.status == "confirmed",
        ),
        AdminAction(
            "set_aside",
            "Set the payment aside",
            "It has arrived and may not go to the balance: it waits in suspense, to be sent back where it came from. "
            "The player reads your reason.",
            "gateways.approve_deposit",
            suspense.set_aside,
            grave=True,
            fits=lambda row: row.status == "confirmed",
        ),
        AdminAction(
            "refuse",
            "Refuse",
            "Nothing has arrived for it; its receipt is free for the right one. The player reads your reason.",
            "gateways.approve_deposit",
            deposits.refuse,
            grave=True,
            fits=lambda row: row.status in Deposit.OPEN,
        ),
    )
    search_fields = ("pk__exact", "reference__iexact", "bank_reference__iexact", "player__username__iexact")

    def account_facts(self, row: Deposit) -> list[tuple[str, str]]:
        return [("Quotes as reference", row.reference)]

    fields = (
        "player", "standing", "shown", "gateway", "reference", "status", "asked_at", "bank_reference", "confirmed_by",
        "confirmed_at", "decided_by", "decided_at", "decision",
    )  # fmt: skip


@admin.register(SuspenseItem)
class SuspenseAdmin(AskingAdmin, DeskAdmin):
    asking_form = ArrivalForm
    asking_fields = ("receipt", "rupees", "quotes", "returns", "reason")
    asking_told = (
        "A payment that you see at the bank and that no deposit waits for: paid twice, after a cancellation, without "
        "reference. It waits here until two people have sent it back. Or a withdrawal that was paid and that the bank "
        "has returned: a second person gives it back to the player."
    )
    asking_permission = "gateways.confirm_suspenseitem"
    row_actions = (
        AdminAction(
            "confirm",
            "Confirm that it goes back",
            "You have prepared the transfer back at the bank. It is released once a second person has approved it.",
            "gateways.confirm_suspenseitem",
            suspense.confirm,
            asks="The bank's reference",
            fits=lambda row: row.status == "waits",
        ),
        AdminAction(
            "approve",
            "Approve",
            "It goes back to where it came from; what the bank returned of a withdrawal, to the player's balance.",
            "gateways.approve_suspenseitem",
            suspense.approve,
            fits=lambda row: row.status == "confirmed",
        ),
    )
    list_display = ("id", "player", "shown", "why", "status", "gateway", "arrived_at", "confirmed_by", "decided_by")
    search_fields = ("pk__exact", "arrival__iexact", "bank_reference__iexact", "player__username__iexact")

    def account_facts(self, row: SuspenseItem) -> list[tuple[str, str]]:
        goes = (
            f"the player's balance, from withdrawal {row.withdrawal_id}" if row.withdrawal_id else "where it came from"
        )
        return [("Arrived as", row.arrival), ("Why it is here", row.get_why_display()), ("Goes to", goes)]

    fields = (
        "player", "shown", "why", "gateway", "arrival", "arrived_at", "status", "deposit", "withdrawal", "event",
        "noted_by", "bank_reference", "confirmed_by", "confirmed_at", "decided_by", "decided_at", "decision",
    )  # fmt: skip


@admin.register(Withdrawal)
class WithdrawalAdmin(AskingAdmin, DeskAdmin):
    asking_form = PayoutForm
    asking_fields = ("player_name", "rupees", "account_name", "account", "ifsc", "reason", "sent")
    asking_told = (
        "For a player whose account is locked, or who is excluded, and who wrote to you. The amount is on hold at "
        "once; it is confirmed and approved as any withdrawal, and not approved by you."
    )
    asking_permission = "gateways.confirm_withdrawal"
    row_actions = (
        AdminAction(
            "confirm",
            "Confirm the transfer",
            "You have prepared it at the bank. It is released once a second person has approved it.",
            "gateways.confirm_withdrawal",
            withdrawals.confirm,
            asks="The bank's reference",
            fits=lambda row: row.status == "asked",
        ),
        AdminAction(
            "approve",
            "Approve",
            "The amount leaves the house.",
            "gateways.approve_withdrawal",
            withdrawals.approve,
            fits=lambda row: row.status == "confirmed",
        ),
        AdminAction(
            "refuse",
            "Refuse",
            "What is on hold goes back to the player's balance. The player reads your reason.",
            "gateways.approve_withdrawal",
            withdrawals.refuse,
            grave=True,
            fits=lambda row: row.status in Withdrawal.OPEN,
        ),
    )
    search_fields = ("pk__exact", "bank_reference__iexact", "player__username__iexact")
    fields = (
        "player", "standing", "shown", "gateway", "goes_to", "status", "asked_at", "asked_by", "bank_reference",
        "confirmed_by", "confirmed_at", "decided_by", "decided_at", "decision",
    )  # fmt: skip

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields, with only the end of the account number for staff who do not confirm transfers."""
        if obj is None:
            return self.asking_fields
        may = request.user.has_perm("gateways.confirm_withdrawal")
        return [("ending" if name == "goes_to" and not may else name) for name in self.fields]

    def account_facts(self, row: Withdrawal) -> list[tuple[str, str]]:
        return [("Goes to", self.goes_to(row)), ("Asked for by", str(row.asked_by or "the player"))]

    @admin.display(description="goes to")
    def goes_to(self, row: Withdrawal) -> str:
        try:
            destination = vault.unseal(row)
        except InvalidToken:
            return "cannot be read: it was not sealed for this withdrawal. Pay nobody, and tell whoever runs the site."
        return f"{destination['name']}, account {destination['account']}, IFSC {destination['ifsc']}"


@admin.register(Identity)
class IdentityAdmin(ReadOnly, ActionAdmin):
    row_actions = (
        AdminAction(
            "verify",
            "Verify",
            "You have seen proof of the player's age and of where they live.",
            "gateways.verify_identity",
            verification.verify,
            asks="What you have seen",
            form=ProofForm,
            fits=lambda row: row.verified_at is None,
        ),
        AdminAction(
            "unverify",
            "Take the verification back",
            "The player can no longer play for money. What they have they may withdraw.",
            "gateways.verify_identity",
            verification.unverify,
            grave=True,
            fits=lambda row: row.verified_at is not None,
        ),
    )
    refusals = (WalletError,)

    def facts(self, row: Identity) -> list[tuple[str, str]]:
        """Return the declaration to be verified; if the player changes it meanwhile, nothing is verified."""
        return [
            ("Player", f"{row.player}, number {row.player_id}"),
            ("Lives in", self.lives_in(row)),
            ("Born", f"{row.birth_date}, {self.age(row)} years old"),
            ("Declared", format_moment_with_utc(row.declared_at)),
            ("Terms accepted", row.terms),
            ("Verified", self.proof(row)),
            ("Declared before", self.former(row)),
            ("Excluded players born on that day", self.excluded(row)),
        ]

    list_display = ("player", "lives_in", "birth_date", "age", "declared_at", "verified_at", "verified_by")
    list_filter = (("verified_at", admin.EmptyFieldListFilter), "jurisdiction")
    list_select_related = ("player", "verified_by")
    search_fields = ("player__username__iexact",)
    search_help_text = "A player's name in full."
    ordering = (F("verified_at").asc(nulls_first=True), "-declared_at")
    fields = (
        "player", "lives_in", "birth_date", "age", "terms", "terms_at", "declared_at", "verified_at", "verified_by",
        "proved_at", "former",
    )  # fmt: skip

    def proof(self, row: Identity) -> str:
        """Return since when, and by whom, the declaration is verified."""
        if row.verified_at is None:
            return "not now"
        return format_html("{} by {}", format_moment_with_utc(row.verified_at), row.verified_by)

    @admin.display(description="declared before")
    def former(self, row: Identity) -> str:
        """Return the player's differing earlier declarations, from the trail: a changed birthday is suspicious."""
        former = verification.former_declarations(row)
        rows = ((where, born, format_moment_with_utc(at)) for where, born, at in former)
        return format_html_join("; ", "{}, born {}, on {}", rows) or "nothing else"

    def excluded(self, row: Identity) -> str:
        """Return other players born on the same day who are excluded: one of them may be this person."""
        return (
            ", ".join(f"{each.player}, number {each.player_id}" for each in verification.excluded_like(row)) or "none"
        )

    @admin.display(description="lives in", ordering="jurisdiction")
    def lives_in(self, row: Identity) -> str:
        return f"{named(row.jurisdiction)} ({row.jurisdiction})"

    @admin.display(description="age")
    def age(self, row: Identity) -> int:
        return years(row.birth_date, today())


@admin.register(GatewayEvent)
class EventAdmin(BookAdmin):
    list_display = ("at", "gateway", "event", "kind", "reference", "amount", "currency", "outcome")
    list_filter = ("outcome", "gateway")
    search_fields = ("event__exact", "reference__exact")
    ordering = ("-id",)
    fields = ("at", "gateway", "event", "kind", "reference", "amount", "currency", "outcome", "deposit", "digest")
