"""What happened at a table: one frozen class for each kind of event, all of them importable from here."""

from rules.game.events.base import *  # noqa: F403
from rules.game.events.deal import *  # noqa: F403
from rules.game.events.match import *  # noqa: F403
from rules.game.events.seats import *  # noqa: F403
from rules.game.events.show import *  # noqa: F403
