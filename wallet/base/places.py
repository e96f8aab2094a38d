"""Places where money moved in play: ids and names that the wallet stores and never looks up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

#: The columns of a posting that store its place, in the order of `listed`.
COLUMNS = ("at_table", "at_match", "at_deal", "at_stake", "at_book", "at_title")


@dataclass(frozen=True, slots=True, kw_only=True)
class PostingPlace:
    """A table with its title and book, the stake for which it was opened (None: for practice, friends or a tournament),
    and the match or deal for which money moved, if any.
    """

    table: int
    title: str
    book: str
    stake: int | None = None
    match: int | None = None
    deal: int | None = None

    @classmethod
    def of(cls, listed: Sequence[Any]) -> "PostingPlace | None":
        """Return the place whose `listed` is the given one; None for NOWHERE."""
        if list(listed) == NOWHERE:
            return None
        table, match, deal, stake, book, title = listed
        return cls(table=table, title=title, book=book, stake=stake, match=match, deal=deal)

    def listed(self) -> list[int | str | None]:
        """Return the fields in the order of COLUMNS, as they are stored and hashed."""
        return [self.table, self.match, self.deal, self.stake, self.book, self.title]


#: The values of COLUMNS for a posting that was made at no table.
NOWHERE: list[int | str | None] = [None, None, None, None, "", ""]
