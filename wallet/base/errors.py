"""Refusals of the platform, each with a code for programs and a sentence for people."""

from typing import TypedDict

from wallet.language import gettext as _

#: The HTTP status of some codes; all others are a 409: not possible now.
STATUS_OF_CODE = {
    "below_minimum": 400, "above_maximum": 400, "bad_seat": 400, "bad_amount": 400, "invalid_amount": 400,
    "bad_limit": 400, "bad_period": 400, "bad_reminder": 400, "unknown_currency": 400, "not_found": 404,
}  # fmt: skip


class RefusalBody(TypedDict):
    """The body of every refusal."""

    code: str
    message: str


class Refusal(Exception):
    """A refused act, which changed nothing; `code` is for programs, `message` for people, `status` for HTTP."""

    status = 409

    def __init__(self, code: str, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status or STATUS_OF_CODE.get(code, self.status)


class TooBusy(Exception):
    """Too many do the same at once. Nothing was changed, and it is worth trying again in a moment."""


class TooMany(Refusal):
    """A refusal of one who has asked for too much; `retry_after` is in seconds."""

    def __init__(self, retry_after: int) -> None:
        message = _("That was a lot in a short time. Wait a minute and try again.")
        super().__init__("rate_limited", message, status=429)
        self.retry_after = retry_after


class WalletError(Refusal):
    """A refusal of the wallet."""


class InsufficientBalance(WalletError):
    """An account holds less than the amount to be taken from it."""

    def __init__(self) -> None:
        super().__init__("insufficient_balance", "The balance is too small for this.")


class KeyReused(WalletError):
    """The key already names a posting with other content."""

    def __init__(self, key: str) -> None:
        super().__init__("key_reused", f"{key} has already been posted with other content.")
