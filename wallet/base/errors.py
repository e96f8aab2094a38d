"""What the wallet refuses, each with a code for programs and a sentence for people."""


class WalletError(Exception):
    """A refusal. Nothing was written; `code` is for programs, `message` for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class InsufficientBalance(WalletError):
    """An account holds less than the amount asked of it."""

    def __init__(self, message: str = "The balance is too small for this.") -> None:
        super().__init__("insufficient_balance", message)


class KeyReused(WalletError):
    """The key already names a posting of other content."""

    def __init__(self, key: str) -> None:
        super().__init__("key_reused", f"{key} has already been posted with other content.")
