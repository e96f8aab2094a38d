"""Faults in requests and decisions of staff about balances."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import Fault

ADJUSTMENTS: Mapping[str, Fault] = {
    "adjusted by more than was asked": (
        ["UPDATE wallet_adjustment SET amount = amount - 1 WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "adjusted for another": (
        ["UPDATE wallet_adjustment SET player_id = {asha} WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "adjusted in another currency": (
        ["UPDATE wallet_adjustment SET currency = 'EUR' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "adjusted for another reason": (
        ["UPDATE wallet_adjustment SET reason = 'Nothing' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "asked for by another": (
        ["UPDATE wallet_adjustment SET asked_by_id = {dina} WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "decided by who asked": (
        ["UPDATE wallet_adjustment SET decided_by_id = asked_by_id WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "decided by another": (
        ["UPDATE wallet_adjustment SET decided_by_id = {dina} WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "decided by nobody": (
        ["UPDATE wallet_adjustment SET decided_by_id = NULL WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "decided for another reason": (
        ["UPDATE wallet_adjustment SET decision_reason = 'Why not' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "reason of a decision that nobody took": (
        ["UPDATE wallet_adjustment SET decision_reason = 'Sure' WHERE status = 'asked'"],
        "adjustment",
        "adjustment",
    ),
    "decided before it was asked": (
        ["UPDATE wallet_adjustment SET decided_at = '2001-01-01 00:00:00+00:00' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "refused one called posted": (
        ["UPDATE wallet_adjustment SET status = 'granted', posting_key = 'adjust:{refused}' WHERE id = {refused}"],
        "adjustment",
        "adjustment {refused}",
    ),
    "posted one called waiting": (
        ["UPDATE wallet_adjustment SET status = 'asked', posting_key = '' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "adjustment under another key": (
        ["UPDATE wallet_adjustment SET posting_key = 'adjust:777' WHERE id = {large}"],
        "adjustment",
        "adjustment {large}",
    ),
    "adjustment over nothing": (
        ["UPDATE wallet_adjustment SET amount = 0 WHERE id = {waiting}"],
        "adjustment",
        "adjustment {waiting}",
    ),
    "adjustment vanished": (["DELETE FROM wallet_adjustment WHERE id = {large}"], "adjustment", "(adjust:{large})"),
    "wish for an adjustment vanished": (
        ["DELETE FROM wallet_adjustment WHERE id = {waiting}"],
        "adjustment",
        "adjustment {waiting}",
    ),
}
