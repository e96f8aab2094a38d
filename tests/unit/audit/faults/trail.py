"""Faults in the trail of staff actions."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import Fault

COLUMNS = "id, at, user_id, actor_name, address, action, target_type, target_id, target_label, reason, before, after"

TRAIL: Mapping[str, Fault] = {
    "act for another reason": (
        ["UPDATE audit_log_auditentry SET reason = 'Nothing' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act by another": (["UPDATE audit_log_auditentry SET user_id = {dina} WHERE id = {act}"], "trail", "entry {act}"),
    "act under another name": (
        ["UPDATE audit_log_auditentry SET actor_name = 'dina' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act from elsewhere": (
        ["UPDATE audit_log_auditentry SET address = '8.8.8.8' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act on another object": (
        ["UPDATE audit_log_auditentry SET target_id = '777' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "another act": (
        ["UPDATE audit_log_auditentry SET action = 'player.note' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act with another outcome": (
        ["UPDATE audit_log_auditentry SET after = '{{\"balance\": 1}}' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act on something else before": (
        ["UPDATE audit_log_auditentry SET before = '[]' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act at another time": (
        ["UPDATE audit_log_auditentry SET at = '2001-01-01 00:00:00+00:00' WHERE id = {act}"], "trail", "entry {act}",
    ),
    "act with another seal": (["UPDATE audit_log_auditentry SET hash = 'ff' WHERE id = {act}"], "trail", "entry {act}"),
    "act vanished": (["DELETE FROM audit_log_auditentry WHERE id = {act}"], "trail", "entry"),
    "act twice": (
        [f"INSERT INTO audit_log_auditentry ({COLUMNS}, previous_hash, hash)"
         f" SELECT 9001, {COLUMNS.removeprefix('id, ')}, previous_hash, hash FROM audit_log_auditentry t"
         " WHERE id = {act}"],
        "trail", "entry 9001",
    ),
    "act made up": (
        [f"INSERT INTO audit_log_auditentry ({COLUMNS}, previous_hash, hash)"
         " SELECT 9001, at, user_id, actor_name, address, 'player.note', target_type, target_id, target_label, '',"
         " NULL, NULL, hash, 'ff' FROM audit_log_auditentry t WHERE id = {act}"],
        "trail", "entry 9001",
    ),
}  # fmt: skip
