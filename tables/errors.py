"""Refusals of tables that the rules of the game do not know."""


class TableError(Exception):
    """A refusal: `code` for programs, `message` for a person, `status` for HTTP. Nothing was changed."""

    def __init__(self, code: str, message: str, *, status: int = 409) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
