"""Faults in the trail of staff actions."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import Fault

TRAIL: Mapping[str, Fault] = {
    "act for another reason": (
        ["UPDATE trail_record SET reason = 'Nothing' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act by another": (["UPDATE trail_record SET user_id = {dina} WHERE id = {act}"], "trail", "entry {act}"),
    "act under another name": (["UPDATE trail_record SET name = 'dina' WHERE id = {act}"], "trail", "entry {act}"),
    "act from elsewhere": (["UPDATE trail_record SET address = '8.8.8.8' WHERE id = {act}"], "trail", "entry {act}"),
    "act on another object": (
        ["UPDATE trail_record SET object_id = '777' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "another act": (["UPDATE trail_record SET what = 'player.note' WHERE id = {act}"], "trail", "entry {act}"),
    "act with another outcome": (
        ["UPDATE trail_record SET after = '{{\"balance\": 1}}' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act on something else before": (
        ["UPDATE trail_record SET before = NULL WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act at another time": (
        ["UPDATE trail_record SET at = '2001-01-01 00:00:00+00:00' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act with another seal": (["UPDATE trail_record SET seal = 'ff' WHERE id = {act}"], "trail", "entry {act}"),
    "act vanished": (["DELETE FROM trail_record WHERE id = {act}"], "trail", "entry"),
    "act twice": (
        ["INSERT INTO trail_record (id, at, user_id, name, address, what, kind, object_id, shown, reason, before,"
         " after, follows, seal) SELECT 9001, at, user_id, name, address, what, kind, object_id, shown, reason,"
         " before, after, follows, seal FROM trail_record t WHERE id = {act}"],
        "trail", "entry 9001",
    ),
    "act made up": (
        ["INSERT INTO trail_record (id, at, user_id, name, address, what, kind, object_id, shown, reason, before,"
         " after, follows, seal) SELECT 9001, at, user_id, name, address, 'player.note', kind, object_id, shown, '',"
         " NULL, NULL, seal, 'ff' FROM trail_record t WHERE id = {act}"],
        "trail", "entry 9001",
    ),
}  # fmt: skip
