"""The check of shoes that are fixed beforehand: what was promised is played by everybody, and by each of them once."""

from collections import Counter

from django.db.models import QuerySet

from rules.shuffling import commitment
from tables.daily import MATCH_SHOES, label_in_match
from tables.log.sealing import SEEDS, SHOES
from tables.models import Attempt, Deal, DealSeat, Series, Shoe, Table
from wallet.base.findings import ALTERED, Differences, FaultsFound, Finding, register
from wallet.base.report_zone import local_day

#: The name of what is found, and how many rows are read at once.
CHECK, CHUNK = "fixed shoes", 500


@register
def fixed_shoes_are_played_once() -> Differences:
    """Find shoes that are not those promised, tables that play others, and players with more tries than one."""
    for wrong in (_series(), _shoes(), _tables(), _deals(), _tries()):
        for subject, expected, found in wrong:
            yield Finding(CHECK, subject, ALTERED, expected, found)


def _series() -> FaultsFound:
    numbers: dict[int, list[int]] = {}
    for series_id, number in Shoe.objects.order_by("series_id", "number").values_list("series_id", "number"):
        numbers.setdefault(series_id, []).append(number)
    for series in Series.objects.order_by("pk").iterator(chunk_size=CHUNK):
        due = [1] if series.day is not None else list(range(1, MATCH_SHOES + 1))
        if numbers.get(series.pk) != due:
            yield f"series {series.pk}", f"shoes {due}", f"{numbers.get(series.pk)}"
        if series.day is not None and (local_day(series.begins_at), local_day(series.ends_at)) != (
            series.day, series.day.fromordinal(series.day.toordinal() + 1)
        ):  # fmt: skip
            yield f"series {series.pk}", f"the hours of {series.day}", f"{series.begins_at} to {series.ends_at}"


def _shoes() -> FaultsFound:
    for shoe in Shoe.objects.select_related("series").order_by("pk").iterator(chunk_size=CHUNK):
        series = shoe.series
        due = f"daily-{series.day}" if series.day is not None else label_in_match(series.code or "", shoe.number)
        if shoe.label != due:
            yield f"shoe {shoe.pk}", f"the label {due}", shoe.label
        try:
            kept = commitment(shoe.label, SHOES.unseal(shoe)) == shoe.commitment
        except Exception as fault:
            yield f"shoe {shoe.pk}", "a seed that can be read", type(fault).__name__
            continue
        if not kept:
            yield f"shoe {shoe.pk}", "the seed that was promised", "another"


def _tables() -> FaultsFound:
    """Find tables of a shoe that are played otherwise than its series says, or by nobody who has a try at it."""
    strays = Table.objects.filter(shoe__isnull=False).exclude(shoe__in=Shoe.objects.values("pk"))
    for pk, shoe_id in strays.order_by("pk").values_list("pk", "shoe_id"):
        yield f"table {pk}", f"shoe {shoe_id}", "none"
    own = dict(Attempt.objects.values_list("table_id", "user_id"))
    owners = set(Attempt.objects.values_list("shoe_id", "user_id"))
    for table in _tables_with_shoe().iterator(chunk_size=CHUNK):
        series = table.shoe.series  # type: ignore[union-attr]
        due = (series.book, series.book_version, series.seats, series.strength)
        if due != (table.book, table.book_version, table.seats, table.strength):
            yield f"table {table.pk}", f"{due}, as its series", "another game"
        if (table.shoe_id, table.practice_for_id) not in owners:
            yield f"table {table.pk}", "a player who has a try at its shoe", f"{table.practice_for_id}"
        elif own.get(table.pk, table.practice_for_id) != table.practice_for_id:
            yield f"table {table.pk}", f"its player {own[table.pk]}", f"{table.practice_for_id}"
    for attempt in Attempt.objects.exclude(table__in=_tables_with_shoe().values("pk")):
        yield f"attempt {attempt.pk}", "a table of its shoe", f"table {attempt.table_id}"
    for attempt in Attempt.objects.select_related("table").order_by("pk").iterator(chunk_size=CHUNK):
        if attempt.table.shoe_id not in (None, attempt.shoe_id):
            yield f"attempt {attempt.pk}", f"a table of shoe {attempt.shoe_id}", f"of {attempt.table.shoe_id}"


def _tables_with_shoe() -> QuerySet[Table]:
    return Table.objects.filter(shoe__series__isnull=False).select_related("shoe__series").order_by("pk")


def _deals() -> FaultsFound:
    """Find deals at such a table with other cards than its shoe has."""
    deals = (
        Deal.objects.filter(match__table__shoe__series__isnull=False)
        .select_related("match__table__shoe")
        .order_by("pk")
    )
    for deal in deals.iterator(chunk_size=CHUNK):
        shoe = deal.match.table.shoe
        assert shoe is not None
        try:
            same = SEEDS.unseal(deal) == SHOES.unseal(shoe) and deal.commitment == shoe.commitment
        except Exception as fault:
            yield f"deal {deal.pk}", "a seed that can be read", type(fault).__name__
            continue
        if not same or any(deal.client_seeds):
            yield f"deal {deal.pk}", f"the cards of {shoe.label}", "others"


def _tries() -> FaultsFound:
    """Find players who have finished a shoe twice, or elsewhere than at the table of their try."""
    own = set(Attempt.objects.values_list("table_id", flat=True))
    scored = DealSeat.objects.filter(user__isnull=False, deal__match__table__shoe__isnull=False).exclude(outcome="")
    rows = scored.order_by("pk").values_list("user_id", "deal__match__table__shoe_id", "deal__match__table_id")
    tries: Counter[tuple[int | None, int | None]] = Counter()
    for user, of_shoe, table in rows.iterator(chunk_size=CHUNK):
        tries[user, of_shoe] += 1
        if table not in own:
            yield f"table {table}", "no result, as another table has taken its place", "one"
    for (player, shoe), number in sorted(tries.items(), key=str):
        if number > 1:
            yield f"player {player} at shoe {shoe}", "one try", f"{number}"
