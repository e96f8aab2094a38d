"""What a gateway is: a way in which money comes from a player's bank and goes back there."""

from dataclasses import dataclass
from typing import Protocol

from wallet.base.errors import WalletError
from wallet.payments.models import Deposit


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """What the player is to do: `lines` of what and its value to read, or a `page` on which they pay."""

    lines: tuple[tuple[str, str], ...] = ()
    page: str = ""


class Gateway(Protocol):
    """`name` is for ever: it names the gateway's account in the ledger."""

    name: str
    title: str
    #: Whether staff see at the bank what arrived; otherwise the gateway tells us itself, under its signature.
    by_hand: bool

    def instructions(self, deposit: Deposit) -> Instructions:
        """Return what the player is to do so that this deposit arrives."""
        ...


class NoGateway(WalletError):
    def __init__(self) -> None:
        super().__init__("no_gateway", "There is no such way to pay.")
