"""Staff read the books; nobody changes them, whatever else they may do."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.support.books import a_day_of_play, books
from wallet.models import Account, Posting, Transfer

pytestmark = pytest.mark.django_db

MODELS = (Account, Posting, Transfer)


@pytest.fixture
def superuser(django_user_model: object) -> Client:
    a_day_of_play()
    client = Client()
    create = django_user_model.objects.create_superuser  # type: ignore[attr-defined]
    client.force_login(create(username="root", password="a long pass phrase"))
    return client


def address(model: type[Account | Posting | Transfer], action: str, *arguments: int) -> str:
    return reverse(f"admin:wallet_{model._meta.model_name}_{action}", args=arguments)


@pytest.mark.parametrize("model", MODELS)
def test_even_a_superuser_only_reads(superuser: Client, model: type[Account | Posting | Transfer]) -> None:
    before = books()
    row = model.objects.earliest("pk").pk
    assert superuser.get(address(model, "changelist")).status_code == 200
    assert superuser.get(address(model, "change", row)).status_code == 200
    assert superuser.get(address(model, "add")).status_code == 403
    assert superuser.get(address(model, "delete", row)).status_code == 403
    for path in (address(model, "add"), address(model, "change", row), address(model, "delete", row)):
        assert superuser.post(path, {"post": "yes", "balance": "5", "amount": "5", "key": "x"}).status_code == 403
    deletion = {"action": "delete_selected", "_selected_action": [row], "post": "yes"}
    superuser.post(address(model, "changelist"), deletion)
    assert books() == before


@pytest.mark.parametrize("model", [Posting, Transfer])
def test_a_posting_is_found_by_its_key(superuser: Client, model: type[Posting | Transfer]) -> None:
    html = superuser.get(address(model, "changelist"), {"q": "match:1:prize"}).content.decode()
    assert "match:1:prize" in html
    assert "deal:1:settle" not in html


def test_an_account_is_found_by_its_reference_and_its_owner(superuser: Client) -> None:
    for sought in ("seating:1", "asha"):
        html = superuser.get(address(Account, "changelist"), {"q": sought}).content.decode()
        assert "seating:1</" in html
        assert "seating:2</" not in html


def test_others_than_staff_see_nothing(db: None, django_user_model: object) -> None:
    client = Client()
    create = django_user_model.objects.create_user  # type: ignore[attr-defined]
    client.force_login(create(username="asha", password="a long pass phrase"))
    for model in MODELS:
        assert client.get(address(model, "changelist")).status_code == 302
