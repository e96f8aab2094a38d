"""A database of before in which real money was used is not upgraded."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from tests.support.stakes import StakeFactory
from wallet import former_money

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def test_a_database_of_chips_is_upgraded_whether_or_not_it_has_the_empty_tables_of_payments() -> None:
    StakeFactory()
    assert former_money.why_refused(connection) == ""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE gateways_deposit (id integer)")
    assert former_money.why_refused(connection) == ""


@pytest.mark.parametrize(
    "left",
    [
        "INSERT INTO wallet_account (kind, reference, currency, balance) VALUES ('fees', 'house', 'INR', 0)",
        "UPDATE lobby_stake SET currency = 'INR'",
        "INSERT INTO gateways_deposit (id) VALUES (7)",
    ],
)
def test_a_database_with_traces_of_real_money_is_refused_in_one_sentence(left: str) -> None:
    StakeFactory()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE gateways_deposit (id integer)")
        cursor.execute(left)
    with pytest.raises(CommandError, match=r"used for real money \(\w+: 1\), .*nothing was changed") as refused:
        call_command("migrate", verbosity=0)
    assert refused.value.returncode == 2
