"""Reports as files; each download enters the trail."""

import hashlib
import io
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser

from wallet.audit_log.services import Actor, record
from wallet.base.errors import WalletError
from wallet.finance.exports import FORMATS, Period
from wallet.finance.reports.sheets import REPORTS
from wallet.finance.spreadsheets import Sheet, Workbook

#: The formats of a report: those of an export that are tables.
TYPES = ("xlsx", "excel", "csv")


@dataclass(frozen=True, slots=True)
class ReportFile:
    name: str
    type: str
    content: bytes
    digest: str


def report_file(*, report: str, period: Period, currency: str, format: str, actor: Actor) -> ReportFile:
    """Return the whole report as a file, and record in the trail who downloaded it.

    The same report of the same books makes the same bytes. WalletError `unknown_report`, `unknown_format`.
    """
    if report not in REPORTS:
        raise WalletError("unknown_report", f"A report is one of {', '.join(REPORTS)}.")
    if format not in TYPES:
        raise WalletError("unknown_format", f"A report is one of {', '.join(TYPES)}.")
    title, make_table = REPORTS[report]
    table, out = make_table(period, currency), io.BytesIO()
    form = FORMATS[format]
    is_workbook = form.make is Workbook
    sheet: Sheet = Workbook(out, table.columns, title) if is_workbook else form.make(out, table.columns)
    for row in table.rows:
        sheet.row(row)
    sheet.close(table.totals(period, currency))
    content = out.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    assert isinstance(actor.user, AbstractBaseUser)
    after = {
        "report": report,
        "first_day": period.first,
        "last_day": period.last,
        "currency": currency,
        "format": format,
    }
    record(actor, "report.export", actor.user, after={**after, "rows": len(table.rows), "digest": digest})
    return ReportFile(f"{report}_{period.first}_{period.last}_{currency}.{form.ending}", form.type, content, digest)
