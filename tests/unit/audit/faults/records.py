"""Faults in the records of audits, freezes, exports, reports and signed days."""

from collections.abc import Mapping

from tests.unit.audit.faults._fault import Fault

RECORDS: Mapping[str, Fault] = {
    "freeze lifted by another": (
        ["UPDATE wallet_freeze SET lifted_by_id = {dina} WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze lifted by nobody": (
        ["UPDATE wallet_freeze SET lifted_by_id = NULL WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze lifted for another reason": (
        ["UPDATE wallet_freeze SET note = 'All is well' WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze never lifted": (
        ["UPDATE wallet_freeze SET lifted_at = NULL, lifted_by_id = NULL, note = '' WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze lifted by who asked": (
        ["UPDATE wallet_freeze SET lifted_by_id = asked_by_id WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze lifted before it began": (
        ["UPDATE wallet_freeze SET lifted_at = '2001-01-01 00:00:00+00:00' WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze for another reason": (
        ["UPDATE wallet_freeze SET reason = 'A holiday' WHERE id = {freeze}"],
        "freeze",
        "freeze {freeze}",
    ),
    "freeze that no audit began": (
        ["INSERT INTO wallet_freeze (id, since, reason, note) SELECT 9001, since, 'A holiday', '' FROM wallet_freeze"],
        "freeze",
        "freeze 9001",
    ),
    "freeze that stands again after it was lifted": (
        [
            "INSERT INTO wallet_freeze (id, since, reason, run_id, note) SELECT 9001, since, reason, run_id, ''"
            " FROM wallet_freeze WHERE id = {freeze}"
        ],
        "freeze",
        "freeze 9001",
    ),
    "freeze vanished": (["DELETE FROM wallet_freeze WHERE id = {freeze}"], "freeze", "freeze {freeze}"),
    "audit that found nothing after all": (
        ["UPDATE wallet_auditrun SET differences = 0 WHERE id = {alarm}"],
        "audit run",
        "audit {alarm}",
    ),
    "audit whose findings are gone": (
        ["UPDATE wallet_auditrun SET findings = '[]' WHERE id = {alarm}"],
        "audit run",
        "audit {alarm}",
    ),
    "audit that counted more accounts": (
        ["UPDATE wallet_auditrun SET accounts = accounts + 99 WHERE id = {alarm}"],
        "audit run",
        "audit {alarm}",
    ),
    "audit that counted more transfers": (
        ["UPDATE wallet_auditrun SET transfers = transfers + 99 WHERE id = {alarm}"],
        "audit run",
        "audit {alarm}",
    ),
    "audit that ended before it began": (
        ["UPDATE wallet_auditrun SET ended_at = '2001-01-01 00:00:00+00:00' WHERE id = {alarm}"],
        "audit run",
        "audit {alarm}",
    ),
    "export of fewer rows": (
        ["UPDATE wallet_exportrecord SET rows = 1 WHERE id = {export}"],
        "export",
        "export {export}",
    ),
    "export of another file": (
        ["UPDATE wallet_exportrecord SET digest = 'ff' WHERE id = {export}"],
        "export",
        "export {export}",
    ),
    "export by another": (
        ["UPDATE wallet_exportrecord SET by_id = {dina} WHERE id = {export}"],
        "export",
        "export {export}",
    ),
    "export as of another transfer": (
        ["UPDATE wallet_exportrecord SET as_of = 1 WHERE id = {export}"],
        "export",
        "export {export}",
    ),
    "export of other days": (
        ["UPDATE wallet_exportrecord SET last_day = first_day WHERE id = {export}"],
        "export",
        "export {export}",
    ),
    "export vanished": (["DELETE FROM wallet_exportrecord WHERE id = {export}"], "export", "export {export}"),
    "complaint answered by nobody": (
        ["UPDATE lobby_report SET state = 'closed', answer = 'It was right' WHERE deal_id IS NULL"],
        "report",
        "complaint",
    ),
    "report answered otherwise": (
        ["UPDATE lobby_report SET answer = 'It was right' WHERE deal_id = {deal}"],
        "report",
        "of deal {deal}",
    ),
    "complaint vanished": (["DELETE FROM lobby_report WHERE deal_id IS NULL"], "finished row", "report"),
    "report that took the number of another": (
        ["UPDATE lobby_report SET id = id + 70 WHERE deal_id = {deal}"],
        "finished row",
        "report",
    ),
    "day with other seals": (["UPDATE wallet_dayhead SET digest = 'ff' WHERE id = {head}"], "day", "{day}"),
    "day with fewer transfers": (["UPDATE wallet_dayhead SET transfers = 1 WHERE id = {head}"], "day", "{day}"),
    "day up to another transfer": (["UPDATE wallet_dayhead SET last_transfer = 1 WHERE id = {head}"], "day", "{day}"),
    "signed day vanished": (["DELETE FROM wallet_dayhead WHERE id = {head}"], "day", "{day}"),
}
