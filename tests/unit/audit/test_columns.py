"""Every column of every table is covered by a check of the audit, or has a reason why not."""

from django.apps import apps

from tests.support.columns import lines
from wallet.audit import audit


def test_every_column_of_every_table_is_in_the_list_once() -> None:
    listed = [(table, column) for table, columns, _ in lines() for column in columns]
    models = apps.get_models(include_auto_created=True)
    there = {(model._meta.db_table, str(each.column)) for model in models for each in model._meta.concrete_fields}
    assert sorted(listed) == sorted(set(listed)), "a column is listed twice"
    assert there - set(listed) == set(), "new columns: what covers them? They belong into columns.txt"
    assert set(listed) - there == set(), "columns that are there no more"


def test_every_check_in_the_list_is_one_of_the_audit() -> None:
    checks = {check.__name__ for check in audit._checks()}
    assert {name for _, _, named in lines() for name in named} - checks == set()
