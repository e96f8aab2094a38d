"""Every column on the list of covered ones is changed alone, and each check on the list must name it.

Columns of tables and of the staff's records are changed in test_planted.py, those of packs in test_packs.py.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from tests.support.columns import COVERED as COVERED_THERE, lines as listed_columns
from tests.support.database import rolled_back
from tests.support.sampling import one_of_each
from tests.unit.audit.changing import bare, check_all_name
from tests.unit.audit.office import a_month_of_the_office
from wallet.audit import audit
from wallet.base import triggers
from wallet.finance.months.models import TRIGGERS as MONTH_TRIGGERS

pytestmark = [pytest.mark.django_db, pytest.mark.databases]

#: Tables with constraints that would refuse a change, those first that point at others.
STRIPPED = (
    "authtoken_token", "auth_group_permissions", "lobby_player_groups", "lobby_player_user_permissions",
    "responsible_gaming_exclusion", "responsible_gaming_limit", "two_factor_recoverycode", "two_factor_authenticator",
    "lobby_passwordcode", "lobby_supportrecovery",
    "months_closedmonth",
)  # fmt: skip
#: What is said of tables in which `busy` has nothing happen.
COVERED = [
    (table, column, checks)
    for table, columns, checks in listed_columns()
    for column in columns
    if checks and table not in {"tables_pack", *(there for there, *_ in COVERED_THERE)}
]


@pytest.fixture(scope="module")
def office(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Audit the month clean, then remove triggers and constraints."""
    with django_db_blocker.unblock(), rolled_back(), a_month_of_the_office():
        assert audit.audit().differences == []
        connection.check_constraints()
        triggers.remove(connection, MONTH_TRIGGERS)
        for table in STRIPPED:
            bare(table)
        assert [each for each in audit.audit().differences if each.check != "trigger"] == []
        yield


@pytest.fixture
def changed(office: None, db: None) -> Iterator[None]:
    """Roll back what the test changes."""
    with rolled_back():
        yield


def test_no_covered_column_is_left_out() -> None:
    listed = {(table, column) for table, columns, checks in listed_columns() for column in columns if checks}
    changed = {each[:2] for each in [*COVERED_THERE, *COVERED]}
    assert {table for table, _ in listed - changed} == {"tables_pack"}


@pytest.mark.parametrize(
    "case", one_of_each(COVERED, lambda case: (case[0][:7], case[2][-1])), ids=lambda case: ".".join(case[:2])
)
def test_a_check_covers_the_column_as_the_list_says(case: tuple[str, str, list[str]], changed: None) -> None:
    check_all_name(*case)
