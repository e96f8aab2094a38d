"""The form of a report."""

from typing import Any

from django import forms

from lobby.reports.models import Report


class ReportForm(forms.Form):
    """What is wrong with a deal, and with whom."""

    about = forms.ChoiceField(
        label="What is it about?",
        choices=[("", "Choose"), *Report.About.choices],
        error_messages={"required": "Please choose what it is about."},
    )
    seat = forms.TypedChoiceField(label="Whom?", required=False, coerce=int, empty_value=None)
    text = forms.CharField(
        label="What happened?",
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="In your own words. Our staff see the whole deal, with every hand and move.",
    )

    def __init__(self, *args: Any, players: list[tuple[int, str]], **named: Any) -> None:
        super().__init__(*args, **named)
        self.fields["seat"].choices = [("", "Nobody in particular"), *players]  # type: ignore[attr-defined]
