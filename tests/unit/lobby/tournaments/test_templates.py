"""The form of a template refuses what could not be paid out."""

from typing import Any

import pytest
from django.forms import modelform_factory

from lobby.backoffice.tournament_admin import TemplateForm
from tables.models import Template

pytestmark = pytest.mark.django_db
PAID = {
    "title": "Evening", "kind": "knockout", "book": "standard-deals-6", "seats": 6, "deals": 2, "go_on": 2,
    "minutes": 20, "least_deals": 3, "entry": 100, "fee_percent": 10, "least": 2, "most": 6, "prizes": "60, 40",
    "schedule": "always", "reason": "every evening",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, set()),
        ({"prizes": ""}, {"prizes"}),
        ({"prizes": "", "entry": 0, "computers_after": 30}, set()),
        ({"computers_after": 30}, {"computers_after"}),
    ],
)
def test_what_is_entered_is_shared_among_people(change: dict[str, Any], wrong: set[str]) -> None:
    form = modelform_factory(Template, form=TemplateForm, fields="__all__")({**PAID, **change})
    assert set(form.errors) == wrong
