"""The interface of a gateway: a way to pay in from a player's bank and out to it."""

from dataclasses import dataclass
from typing import Protocol

from wallet.base.errors import WalletError
from wallet.payments.models import Deposit


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """How the player pays: `lines` of titles and values to read, or a `page` on which they pay."""

    lines: tuple[tuple[str, str], ...] = ()
    page: str = ""


class Gateway(Protocol):
    """A gateway. Its `name` never changes, since it names the gateway's account in the ledger."""

    name: str
    title: str
    #: Whether staff look up payments at the bank; otherwise the gateway reports them in signed messages.
    by_hand: bool

    def instructions(self, deposit: Deposit) -> Instructions:
        """Return how the player pays this deposit."""
        ...


class NoGateway(WalletError):
    def __init__(self) -> None:
        super().__init__("no_gateway", "There is no such way to pay.")
