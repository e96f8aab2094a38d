"""HEAD and OPTIONS on every page: answered as GET is, and by the methods it takes, and nobody is warned of them."""

import logging
from collections.abc import Iterator

import pytest
from django.test import Client

from config.logs import ClientFaults
from lobby import urls
from tests.support.players import signed_up

pytestmark = pytest.mark.django_db

PAGES = sorted(f"/{each.pattern}" for each in urls.urlpatterns if "<" not in str(each.pattern))


@pytest.fixture
def warnings(caplog: pytest.LogCaptureFixture) -> Iterator[list[logging.LogRecord]]:
    """Yield what is logged and would be written."""
    logger, faults = logging.getLogger("django.request"), ClientFaults()
    logger.addFilter(faults)
    yield caplog.records
    logger.removeFilter(faults)


@pytest.mark.slow
def test_every_page_answers_head_as_get_and_tells_its_methods(
    client: Client, warnings: list[logging.LogRecord]
) -> None:
    client.force_login(signed_up("asha"))
    taken = 0
    for page in PAGES:
        options, page_itself = client.options(page), client.get(page)
        assert options.status_code != 405, page
        if page_itself.status_code != 405:
            head = client.head(page)
            assert (head.status_code, head.content) == (page_itself.status_code, b""), page
        if options.status_code == 204:
            taken += page_itself.status_code == 200
            assert ("HEAD" in options["Allow"]) == ("GET" in options["Allow"]), page
    assert taken > 10
    refused = [record.getMessage() for record in warnings if "Not Allowed" in record.getMessage()]
    assert not [text for text in refused if "OPTIONS" in text or "HEAD" in text]


def test_a_method_that_a_page_does_not_take_is_still_refused(client: Client) -> None:
    client.force_login(signed_up("asha"))
    assert client.delete("/").status_code == 405
    assert client.head("/logout/").status_code == 405
