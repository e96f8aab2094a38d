"""The desk of finance: signing in, its pages, and the content of its files."""

from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from wallet.base.report_zone import zone
from wallet.finance.periods import Period

PAGES = ["finance:overview", "finance:fees", "finance:entries", "finance:exports", "finance:accounts",
         "finance:months", "finance:export_progress", "finance:audit_progress"]  # fmt: skip

API = ["api-finance-ledger", "api-finance-days", "api-finance-places", "api-finance-export", "api-finance-months"]


def sign_in(users: Any, name: str, *permissions: str, staff: bool = True) -> Client:
    user = users.objects.create_user(username=name, password="a long pass phrase", is_staff=staff)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def today() -> Period:
    day = timezone.now().astimezone(zone()).date()
    return Period(first=day, last=day)


def body(answer: Any) -> bytes:
    """Return a streamed answer's content, as the server streams it."""

    async def all_of_it() -> bytes:
        return b"".join([piece async for piece in answer.streaming_content])

    return async_to_sync(all_of_it)()


def dated(period: Period) -> dict[str, str]:
    return {"from": f"{period.first}", "to": f"{period.last}", "currency": "FUN"}
