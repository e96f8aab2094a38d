"""The form of a report."""

from typing import Any

from django import forms

from lobby.reports.models import Report
from wallet.language import worded, worded_later


class ReportForm(forms.Form):
    """The form for a report: the matter, the seat it is about, and a text."""

    about = forms.ChoiceField(
        label=worded_later("What is it about?"),
        choices=[("", worded_later("Choose")), *Report.About.choices],
        error_messages={"required": worded_later("Please choose what it is about.")},
    )
    seat = forms.TypedChoiceField(label=worded_later("Whom?"), required=False, coerce=int, empty_value=None)
    text = forms.CharField(
        label=worded_later("What happened?"),
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=worded_later("In your own words. Our staff see the whole deal, with every hand and move."),
    )

    def __init__(self, *args: Any, players: list[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seat"].choices = [("", worded("Nobody in particular")), *players]  # type: ignore[attr-defined]
