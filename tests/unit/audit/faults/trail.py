"""Faults in the trail of staff actions."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import Fault

TRAIL: Mapping[str, Fault] = {
    "act for another reason": (
        ["UPDATE audit_log_auditentry SET reason = 'Nothing' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act by another": (["UPDATE audit_log_auditentry SET user_id = {dina} WHERE id = {act}"], "trail", "entry {act}"),
    "act under another name": (
        ["UPDATE audit_log_auditentry SET name = 'dina' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act from elsewhere": (
        ["UPDATE audit_log_auditentry SET address = '8.8.8.8' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act on another object": (
        ["UPDATE audit_log_auditentry SET object_id = '777' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "another act": (["UPDATE audit_log_auditentry SET what = 'player.note' WHERE id = {act}"], "trail", "entry {act}"),
    "act with another outcome": (
        ["UPDATE audit_log_auditentry SET after = '{{\"balance\": 1}}' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act on something else before": (
        ["UPDATE audit_log_auditentry SET before = NULL WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act at another time": (
        ["UPDATE audit_log_auditentry SET at = '2001-01-01 00:00:00+00:00' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act with another seal": (["UPDATE audit_log_auditentry SET seal = 'ff' WHERE id = {act}"], "trail", "entry {act}"),
    "act vanished": (["DELETE FROM audit_log_auditentry WHERE id = {act}"], "trail", "entry"),
    "act twice": (
        ["INSERT INTO audit_log_auditentry (id, at, user_id, name, address, what, kind, object_id, shown, reason,"
         " before, after, follows, seal) SELECT 9001, at, user_id, name, address, what, kind, object_id, shown, reason,"
         " before, after, follows, seal FROM audit_log_auditentry t WHERE id = {act}"],
        "trail", "entry 9001",
    ),
    "act made up": (
        ["INSERT INTO audit_log_auditentry (id, at, user_id, name, address, what, kind, object_id, shown, reason,"
         " before, after, follows, seal) SELECT 9001, at, user_id, name, address, 'player.note', kind, object_id,"
         " shown, '', NULL, NULL, seal, 'ff' FROM audit_log_auditentry t WHERE id = {act}"],
        "trail", "entry 9001",
    ),
}  # fmt: skip
