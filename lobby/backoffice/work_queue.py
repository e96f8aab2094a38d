"""The work that waits for a person of the staff, by their rights, the figures of the day, and the daily e-mail of both.

The heads of the days go by e-mail to addresses outside, so that others hold them: see `wallet.audit.heads`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import override

from lobby.accounts.mail import deliver, is_configured, order_mail, queue_mail
from lobby.accounts.models import MailOrder, Player
from lobby.backoffice import recoveries
from lobby.collusion import services as collusion
from lobby.collusion.models import Case
from lobby.reports import services as reports
from lobby.reports.models import Report
from tables import staff as tables
from tables.models import Table, Tournament
from wallet.adjustments import count_waiting
from wallet.audit import heads, nightly, requests
from wallet.backoffice.requests import without_concerned
from wallet.base.money import figure
from wallet.base.report_zone import format_moment_with_utc, midnight, today
from wallet.finance.months import services as months
from wallet.finance.periods import Period
from wallet.finance.totals import by_day
from wallet.language import ENGLISH
from wallet.ledger import settlement_freeze

#: Each mail repeats the heads of this many days: one that went astray takes none with it.
DAYS = 31
#: Seconds for which headers show the last count.
CACHE_SECONDS = 30
_CACHE_KEY = "staff-waiting:{}"


@dataclass(frozen=True, slots=True)
class Waiting:
    """The number of things of a sort that wait; `href` is the page where they are handled."""

    title: str
    count: int
    href: str


@dataclass(frozen=True, slots=True)
class TodaysFigure:
    title: str
    value: str
    href: str


def _reports(person: Player) -> QuerySet[Report]:
    return without_concerned(person, reports.concerning, Report.objects.all())


def _open_cases(person: Player) -> QuerySet[Case]:
    return without_concerned(person, collusion.concerning, Case.objects.filter(state=Case.State.OPEN))


def _stuck_tables(person: Player) -> QuerySet[Table]:
    return without_concerned(person, tables.concerning, Table.objects.filter(tables.is_stuck()))


def _stuck_tournaments(person: Player) -> QuerySet[Tournament]:
    found = Tournament.objects.filter(tables.tournament_stands_still())
    return without_concerned(person, tables.entered, found)


#: What may wait: the permission to handle it, its title, how much the person may act on, the page, and its filter.
_WORK: tuple[tuple[str, str, Callable[[Player], int], str, str], ...] = (
    (
        "lobby.handle_report", "Reports and complaints that nobody has taken up",
        lambda person: _reports(person).filter(state=Report.State.OPEN).count(),
        "admin:lobby_report_changelist", "?state__exact=open",
    ),
    (
        "lobby.handle_report", "Reports and complaints past their time",
        lambda person: _reports(person).filter(Report.overdue()).count(),
        "admin:lobby_report_changelist", "?times=overdue",
    ),
    (
        "collusion.handle_case", "Pairs who may play together", lambda person: _open_cases(person).count(),
        "admin:collusion_case_changelist", "?state__exact=open",
    ),
    (
        "lobby.decide_recovery", "Recoveries for a second person", recoveries.count_recoveries,
        "admin:lobby_supportrecovery_changelist", "?status__exact=asked",
    ),
    (
        "tables.freeze_table", "Tables that stand still", lambda person: _stuck_tables(person).count(),
        "admin:tables_table_changelist", "?condition=stuck",
    ),
    (
        "tables.run_tournament", "Tournaments that stand still", lambda person: _stuck_tournaments(person).count(),
        "admin:tables_tournament_changelist", "?condition=stuck",
    ),
    (
        "wallet.decide_adjustment", "Adjustments for a second person", count_waiting,
        "admin:wallet_adjustment_changelist", "?status__exact=asked",
    ),
    (
        "wallet.decide_acknowledgement", "Acknowledgements for a second person",
        requests.count_waiting,
        "admin:wallet_acknowledgement_changelist", "?status__exact=asked",
    ),
    (
        "wallet.lift_freeze", "Settlement is frozen",
        lambda person: int(nightly.may_lift(person)),
        "finance:overview", "",
    ),
    ("months.close_month", "A month to close", lambda _: int(_is_due()), "finance:months", ""),
)  # fmt: skip


def waiting_for(person: Player) -> list[Waiting]:
    """Return what waits for this person of the staff, by their rights, without empty sorts."""
    return [
        Waiting(title, number, f"{reverse(page)}{query}")
        for permission, title, count, page, query in _WORK
        if person.has_perm(permission) and (number := count(person))
    ]


def count_for(person: Player) -> int:
    """Return how many things wait for this person, at most CACHE_SECONDS seconds old, since every page shows it."""
    if not person.is_staff:
        return 0
    cached = cache.get(_CACHE_KEY.format(person.pk))
    return int(cached) if cached is not None else sum(item.count for item in recount(person))


def recount(person: Player) -> list[Waiting]:
    """Count what waits for this person now, for a page that lists it; headers show this sum from then on."""
    waiting = waiting_for(person)
    cache.set(_CACHE_KEY.format(person.pk), sum(item.count for item in waiting), CACHE_SECONDS)
    return waiting


def _is_due() -> bool:
    due = months.next_month()
    return due is not None and not due.why_not


def todays_figures(person: Player) -> list[TodaysFigure]:
    """Return the figures of the day, in the report zone, that concern this person's work."""
    return [*_of_players(person), *_of_tables(person), *_of_books(person)]


def _of_players(person: Player) -> Iterator[TodaysFigure]:
    since = midnight(today())
    if person.has_perm("lobby.handle_report"):
        new = Player.objects.filter(date_joined__gte=since, is_guest=False).count()
        yield TodaysFigure("New accounts today", f"{new}", reverse("admin:lobby_player_changelist"))
        came = Report.objects.filter(at__gte=since).count()
        yield TodaysFigure("Reports and complaints today", f"{came}", reverse("admin:lobby_report_changelist"))


def _of_tables(person: Player) -> Iterator[TodaysFigure]:
    if person.has_perm("tables.view_table"):
        in_use, seats = tables.count_open()
        address = reverse("admin:tables_table_changelist")
        yield TodaysFigure("Tables in use", f"{in_use}", address)
        yield TodaysFigure("Seats taken", f"{seats}", address)


def _of_books(person: Player) -> Iterator[TodaysFigure]:
    if not person.has_perm("wallet.view_finance"):
        return
    day = today()
    totals = by_day(Period(first=day, last=day), "FUN")[day]
    page = f"{reverse('finance:overview')}?from={day}&to={day}"
    for title, amount in (("Fees today", totals.fees), ("In play", totals.in_play or 0)):
        yield TodaysFigure(f"{title}, chips", figure(amount, "FUN"), page)
    last = settlement_freeze.last_run()
    summary = "none yet"
    if last is not None:
        new = settlement_freeze.count_new(last) or "no"
        summary = format_html("{} new differences, {}", new, format_moment_with_utc(last.started_at))
    yield TodaysFigure("Last audit", summary, reverse("finance:overview"))


def mail_staff() -> int:
    """Have one mail sent to each person for whom anything waits, and return how many.

    People without a confirmed address get none.
    """
    if not is_configured():
        return 0
    staff = Player.objects.filter(is_staff=True, is_active=True).exclude(email="").order_by("pk")
    persons = [person for person in staff if waiting_for(person)]
    for person in persons:
        queue_mail("mail_waiting", person.pk)
    return len(persons)


def send_waiting(person: Player) -> None:
    """Send the person what waits for them now, if anything does. For a worker."""
    waiting = waiting_for(person)
    if not waiting:
        return
    total = sum(item.count for item in waiting)
    lines = [f"{item.title}: {item.count}\n{settings.EMAIL_SITE}{item.href}" for item in waiting]
    with override(ENGLISH):
        deliver(person.email, f"{total} {'thing waits' if total == 1 else 'things wait'} for you", *lines)


def mail_heads() -> None:
    """Have the latest heads sent to each address of HEADS_TO."""
    for address in settings.HEADS_TO if is_configured() else ():
        order_mail("mail_latest_heads", address, ENGLISH)


def send_heads(order: MailOrder) -> None:
    """Send the latest heads to the address, in a form that `audit_ledger --heads` reads. For a worker."""
    title, *lines = heads.head_lines()
    if lines:
        how = "# Keep this. `manage.py audit_ledger --heads FILE` compares the books with this mail, saved as a file."
        latest = "\n".join([title, *lines[-DAYS:]])
        deliver(order.address, f"heads of the days up to {lines[-1].split()[0]}", how, latest)
