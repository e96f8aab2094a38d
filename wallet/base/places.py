"""Where money moved in play, in ids and names that the wallet writes down and does not look up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

#: The columns of a posting that say so, in the order in which a place lists its fields.
COLUMNS = ("at_table", "at_match", "at_deal", "at_stake", "at_book", "at_title")


@dataclass(frozen=True, slots=True, kw_only=True)
class PostingPlace:
    """A table with its title and its book, the stake that it was opened for (None: practice), and the match or deal
    that the money was moved for, where it was one's.
    """

    table: int
    title: str
    book: str
    stake: int | None = None
    match: int | None = None
    deal: int | None = None

    @classmethod
    def of(cls, listed: Sequence[Any]) -> "PostingPlace | None":
        """Return the place of which `listed` answers that; None where that was at no table."""
        table, match, deal, stake, book, title = listed
        if table is None:
            return None
        return cls(table=table, title=title, book=book, stake=stake, match=match, deal=deal)

    def listed(self) -> list[int | str | None]:
        """Return the fields in the order of COLUMNS, as they are stored and fingerprinted."""
        return [self.table, self.match, self.deal, self.stake, self.book, self.title]


#: What stands in the columns of a posting that was made at no table.
NOWHERE: list[int | str | None] = [None, None, None, None, "", ""]
