"""Every book equals its column in the table of the rules, however its fields are defined."""

import dataclasses

import pytest

from rules.books import BOOKS, RuleBook, book
from rules.errors import UnknownBook

# One row a field, one word a book, as in the table of the rules; ' means as left.
KEYS = """standard-points standard-blind standard-pool-61 standard-pool-101 standard-pool-201
    standard-deals-2 standard-deals-3 standard-deals-6
    classic-points lives-points lives-drop-points flat20-points club-points club-pool-201"""
TABLE = """
family                   points blind pool ' ' deals ' '              points ' ' '                    ' pool
min_seats                2 ' ' ' ' ' ' '                              ' ' ' '                         ' '
max_seats                6 ' ' ' ' 2 ' 6                              ' ' ' '                         ' '
packs                    2 ' ' ' ' ' ' '                              ' 3 ' 2                         2-4:3 '
open_pile                yes no yes ' ' ' ' '                         ' ' ' '                         ' '
toss                     highest_first ' ' ' ' ' ' '                  ' ' ' '                         by_rank '
toss_each_deal           yes ' no ' ' ' ' '                           yes ' ' '                       ' no
first_drop               20 ' 15 20 25 - ' 20                         ' 10 ' 20                       ' 25
middle_drop              40 ' 30 40 50 - ' 40                         ' 30 ' 40                       ' 50
absent_connected         drop ' ' ' ' ' ' '                           miss ' ' '                      drop '
absent_offline_first     drop ' ' ' ' auto_play ' '                   miss ' ' '                      drop '
absent_offline_later     auto_play ' ' ' ' ' ' '                      miss ' ' '                      drop '
absence_points           - ' ' ' ' 80 ' -                             ' ' ' '                         ' '
misses_allowed           - ' ' ' ' ' ' '                              3 ' ' '                         - '
missed_out_points        40 ' ' ' ' ' ' '                             ' ' ' '                         ' '
auto_plays_allowed       10 ' ' ' ' ' ' '                             ' ' ' '                         ' '
auto_plays_points        40 ' 30 40 50 80 ' 40                        ' 30 ' 40                       ' 50
late_discard_drops       no ' ' ' ' ' ' '                             ' ' ' '                         yes '
leave_first              80 ' 60 80 ' ' ' '                           ' ' ' '                         ' '
leave_later              40 ' 60 80 ' ' ' '                           ' ' ' '                         ' '
leaving                  seat ' out_of_match ' ' gives_match ' out_of_match seat ' ' '                    ' out_of_match
open_show                half ' ' ' ' ' ' '                           full half drop_show flat        full '
open_show_cap            40 ' 30 40 ' ' ' '                           ' ' ' '                         ' '
open_show_flat           20 ' ' ' ' ' ' '                             ' ' ' '                         ' '
drop_show_turn           40 ' ' ' ' ' ' '                             ' ' ' '                         ' '
no_submission            last_arrangement ' ' ' ' ' ' '               ' full_count ' last_arrangement ' '
no_submission_no_turn    - ' ' ' ' ' ' '                              ' 40 - '                        ' '
overlooked_show_is_least no ' ' ' ' ' ' '                             ' ' ' yes                       no '
show_before_draw         no ' ' ' ' ' ' '                             ' ' yes no                      ' '
without_lives            counts ' ' ' ' ' ' '                         ' full_count ' counts           ' '
full_count               80 ' 60 80 ' ' ' '                           ' ' ' '                         ' '
least_points             2 ' ' ' ' ' ' '                              ' ' ' '                         ' '
max_groups               6 ' ' ' ' ' ' '                              ' ' ' '                         ' '
jokers_per_meld          - ' ' ' ' ' ' '                              ' 1 ' -                         ' '
four_card_life           no ' ' ' ' ' ' '                             ' yes ' no                      ' '
tunnela                  no ' ' ' ' ' ' '                             ' yes ' no                      ' '
jokers_apart             no ' ' ' ' ' ' '                             ' yes ' no                      ' '
pool_limit               - ' 61 101 201 - ' '                         ' ' ' '                         ' 201
deals                    - ' ' ' ' 2 3 6                              - ' ' '                         ' '
decisive_lead            - ' ' ' ' ' 80 -                             ' ' ' '                         ' '
chips_a_deal             - ' ' ' ' 80 - 80                            - ' ' '                         ' '
"""
VALUES = {"-": None, "yes": True, "no": False, "2-4:3": ((4, 2), (6, 3))}
ROWS = {row.split()[0]: row.split()[1:] for row in TABLE.strip().splitlines()}


def value(field, column):
    words = ROWS[field]
    word = next(word for word in reversed(words[: column + 1]) if word != "'")
    if field == "packs" and word.isdigit():
        return ((6, int(word)),)
    return VALUES.get(word, int(word) if word.isdigit() else word)


@pytest.mark.parametrize(("column", "key"), list(enumerate(KEYS.split())))
def test_a_book_is_its_column(column, key):
    actual = {name: getattr(book(key), name) for name in ROWS}
    assert actual == {field: value(field, column) for field in ROWS}


def test_the_table_holds_every_book_and_every_field():
    assert list(BOOKS) == KEYS.split()
    assert all(len(words) == len(BOOKS) for words in ROWS.values())
    assert {field.name for field in dataclasses.fields(RuleBook)} == {"key", "version", "title", *ROWS}


@pytest.mark.parametrize("key", sorted(BOOKS))
def test_a_book_is_found_by_key_and_version_and_cannot_change(key):
    assert book(key) is book(key, BOOKS[key].version) is BOOKS[key]
    with pytest.raises(dataclasses.FrozenInstanceError):
        book(key).first_drop = 0  # type: ignore[misc]


#: What a former version of a book says otherwise than the next one: key, version, fields.
CHANGES: list[tuple[str, int, dict[str, object]]] = []


def test_a_former_version_differs_from_the_next_in_what_is_told_alone():
    """A table keeps the version it was opened with, and its deals are judged by that."""
    for key, version, former in CHANGES:
        assert book(key, version) == dataclasses.replace(book(key, version + 1), version=version, **former)
    former = {(key, version) for key in BOOKS for version in range(1, BOOKS[key].version)}
    assert former == {(key, version) for key, version, _ in CHANGES}


@pytest.mark.parametrize(("key", "version"), [("nonsense", None), ("", None), ("standard-points", 2)])
def test_there_is_no_other_book(key, version):
    with pytest.raises(UnknownBook, match="There is no rule book"):
        book(key, version)


@pytest.mark.parametrize(
    ("key", "players", "packs"),
    [
        ("standard-points", 6, 2),
        ("lives-points", 2, 3),
        ("club-points", 4, 2),
        ("club-points", 5, 3),
        ("club-pool-201", 6, 3),
    ],
)
def test_a_deal_takes_packs(key, players, packs):
    assert book(key).packs_for(players) == packs
