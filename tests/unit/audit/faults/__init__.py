"""Faults to plant in the rows of tables and of staff, each with the check that must find it.

Each is plain SQL that bypasses services, triggers and constraints; the culprit knows no secret of the platform.
"""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import REFIT, Fault
from tests.unit.audit.faults.adjustments import ADJUSTMENTS
from tests.unit.audit.faults.books import BOOKS
from tests.unit.audit.faults.deals import DEALS
from tests.unit.audit.faults.events import EVENTS
from tests.unit.audit.faults.matches import MATCHES
from tests.unit.audit.faults.records import RECORDS
from tests.unit.audit.faults.seats import SEATS
from tests.unit.audit.faults.tables import TABLES
from tests.unit.audit.faults.trail import TRAIL

__all__ = ["FAULTS", "REFIT"]

FAULTS: Mapping[str, Fault] = {
    **TABLES,
    **MATCHES,
    **DEALS,
    **SEATS,
    **EVENTS,
    **BOOKS,
    **ADJUSTMENTS,
    **RECORDS,
    **TRAIL,
}
