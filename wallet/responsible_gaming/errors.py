"""The refusal of limits and exclusions."""

from datetime import datetime

from wallet.base.errors import WalletError


class CareRefusal(WalletError):
    """`limit_reached`, `time_limit_reached` or `self_excluded`; `until` is when one can play again, None for never."""

    def __init__(self, code: str, message: str, until: datetime | None) -> None:
        super().__init__(code, message)
        self.until = until
