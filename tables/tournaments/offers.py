"""Making tournaments from templates, so that there is always what they offer."""

import secrets
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Q

from rules.books import BOOKS, book
from rules.tournaments import draw_commitment, most_rounds
from tables.errors import TableError
from tables.log.sealing import DRAWS
from tables.models import PublishedRules, Round, Template, Tournament, TournamentKind
from tables.play import outages
from tables.play.records import SEED_BYTES
from tables.play.store import moment
from wallet.base.report_zone import local_day, zone

HALF_HOUR_MS = 1_800_000
#: A tournament at a time of the day is there for entry so long before.
AHEAD_MS = 86_400_000
_PUBLISHED = [field.name for field in PublishedRules._meta.local_fields]


def ensure_offered(now: int) -> None:
    """Make every tournament that the active templates offer now and that is not there, but for those that cannot be."""
    active = [each for each in Template.objects.filter(active=True).order_by("pk") if not unplayable(each)]
    for template, starts_ms in _missing(active, now):
        with transaction.atomic():
            Template.objects.select_for_update().get(pk=template.pk)
            # Somebody else may have made it meanwhile.
            if (template, starts_ms) in _missing([template], now):
                make_tournament(template, starts_ms=starts_ms, opens_ms=now)


def make_tournament(template: Template, *, starts_ms: int | None, opens_ms: int) -> Tournament:
    """Make the next tournament of the template, with the commitments of its draws; call it under its lock.

    TableError `not_offered` where nothing can be played of it.
    """
    if refused := unplayable(template):
        raise TableError("not_offered", " ".join(refused.values()))
    published = {name: getattr(template, name) for name in _PUBLISHED}
    tournament = Tournament.objects.create(
        **published,
        template=template,
        number=template.tournaments.count() + 1,
        book_version=book(template.book).version,
        opens_ms=opens_ms,
        starts_ms=starts_ms,
        next_ms=opens_ms,
        last_outage=outages.latest_outage(),
    )
    if tournament.kind == TournamentKind.KNOCKOUT:
        for number in range(1, 1 + most_rounds(tournament.most, tournament.seats, tournament.go_on)):
            commit_round(tournament, number)
    return tournament


def unplayable(rules: PublishedRules) -> dict[str, str]:
    """Return why nothing can be played of these rules, by their field; a template may have been stored before a check.

    The sentences are for staff.
    """
    refused: dict[str, str] = {}
    rule_book, arena = BOOKS.get(rules.book), rules.kind == TournamentKind.ARENA
    if rule_book is None:
        refused["book"] = f"There is no rule book {rules.book}."
    elif rule_book.per_point != arena:
        refused["book"] = "An arena takes a book of points, a knock-out one of deals."
    elif not arena and (rule_book.chips_a_deal is None or rule_book.max_seats < 3):
        refused["book"] = "A knock-out takes a book of deals for chips, and for three players or more."
    if rule_book is not None and rules.seats > rule_book.max_seats:
        refused["seats"] = f"{rule_book.title} is for {rule_book.max_seats} players at most."
    if rules.entry and sum(rules.prizes) != 100:
        refused["prizes"] = f"What is entered is shared: these shares are {sum(rules.prizes)} percent, not 100."
    return refused


def commit_round(tournament: Tournament, number: int) -> None:
    """Fix the seed of the round's draw, if it is not fixed."""
    if Round.objects.filter(tournament=tournament, number=number).exists():
        return
    seed = secrets.token_bytes(SEED_BYTES)
    row = Round(tournament=tournament, number=number)
    row.commitment = draw_commitment(tournament.pk, number, seed)
    row.sealed_seed = DRAWS.seal(row, seed)
    row.save()


def _missing(templates: Iterable[Template], now: int) -> list[tuple[Template, int | None]]:
    """Return the tournaments of these templates that should be there and are not: each template, and when it starts."""
    wanted = [(template, starts_ms) for template in templates for starts_ms in _starts(template, now)]
    if not wanted:
        return []
    status = Tournament.Status
    # What was cancelled before its start is not made again.
    cancelled = Q(status=status.CANCELLED, starts_ms__in=[starts for _, starts in wanted if starts is not None])
    offered = Tournament.objects.filter(Q(status__in=(status.ANNOUNCED, status.OPEN)) | cancelled)
    there = set(offered.values_list("template_id", "starts_ms"))
    return [(template, starts_ms) for template, starts_ms in wanted if (template.pk, starts_ms) not in there]


def _starts(template: Template, now: int) -> Iterator[int | None]:
    """Yield the starts at which there should be one of its tournaments; None: one that begins when it is full."""
    if template.schedule == Template.Schedule.ALWAYS:
        yield None
        return
    if template.schedule == Template.Schedule.HALF_HOURLY:
        yield now - now % HALF_HOUR_MS + HALF_HOUR_MS
        return
    today = local_day(moment(now))
    for day in (today, today + timedelta(days=1)):
        if str(day.weekday()) in template.weekdays and template.at is not None:
            at = datetime.combine(day, template.at, zone()).astimezone(UTC)
            if now < (starts_ms := int(at.timestamp() * 1000)) <= now + AHEAD_MS:
                yield starts_ms
