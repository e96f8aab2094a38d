"""What staff do with a tournament, each act with an entry in the trail."""

from tables.models import Template, Tournament
from wallet.audit_log.services import Actor


def make(*, template: Template, starts_ms: int | None, opens_ms: int, actor: Actor) -> Tournament:
    """Make the next tournament of the template; of several callers at once one does."""
    raise NotImplementedError


def pause(*, tournament_id: int, reason: str, actor: Actor) -> None:
    """Begin no step of it until it is resumed; deals that run are played on. TableError `not_found`, `wrong_phase`."""
    raise NotImplementedError


def resume(*, tournament_id: int, reason: str, actor: Actor) -> None:
    """Let it go on, with its moments put off for as long as it was paused. TableError as for `pause`."""
    raise NotImplementedError


def cancel(*, tournament_id: int, reason: str, actor: Actor) -> None:
    """Cancel it: its tables are closed, every entry goes back in full. TableError as for `pause`."""
    raise NotImplementedError


def remove_entrant(*, entrant_id: int, reason: str, actor: Actor) -> None:
    """Remove a cheat: their place is forfeited, later prizes go to the next. TableError as for `pause`."""
    raise NotImplementedError
