"""What the rooms above add to those below, so that these need not know them."""

from typing import TypeVar

Item = TypeVar("Item")


class Registry(list[Item]):
    """What other apps add when they are ready: each once, in that order."""

    def add(self, item: Item) -> Item:
        """Add the item; also usable as a decorator."""
        if item not in self:
            self.append(item)
        return item
