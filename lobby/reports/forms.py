"""The forms of a report and of a complaint."""

from typing import Any

from django import forms

from lobby.reports.models import OF_COMPLAINTS, OF_DEALS
from wallet.language import gettext as _, gettext_lazy


class ReportForm(forms.Form):
    """The form for a report: the matter, the seat it is about, and a text."""

    about = forms.ChoiceField(
        label=gettext_lazy("What is it about?"),
        choices=[("", gettext_lazy("Choose")), *((about.value, about.label) for about in OF_DEALS)],
        error_messages={"required": gettext_lazy("Please choose what it is about.")},
    )
    seat = forms.TypedChoiceField(label=gettext_lazy("Whom?"), required=False, coerce=int, empty_value=None)
    text = forms.CharField(
        label=gettext_lazy("What happened?"),
        required=False,
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=gettext_lazy("In your own words. Our staff see the whole deal, with every hand and move."),
    )

    def __init__(self, *args: Any, players: list[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seat"].choices = [("", _("Nobody in particular")), *players]  # type: ignore[attr-defined]


class ComplaintForm(forms.Form):
    """The form for a complaint: the matter, a text, and where to write to somebody who is not signed in."""

    about = forms.ChoiceField(
        label=gettext_lazy("What is it about?"),
        choices=[("", gettext_lazy("Choose")), *((about.value, about.label) for about in OF_COMPLAINTS)],
        error_messages={"required": gettext_lazy("Please choose what it is about.")},
    )
    text = forms.CharField(
        label=gettext_lazy("What happened?"),
        max_length=4_000,
        widget=forms.Textarea(attrs={"rows": 7}),
        error_messages={"required": gettext_lazy("Please tell us what happened.")},
        help_text=gettext_lazy("In your own words: when, where, and what you would like us to do."),
    )
    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        required=False,
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    def __init__(self, *args: Any, by_mail: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if by_mail:
            self.fields["email"].help_text = _(
                "For our answer. We delete it once the answer has gone. Without one you read the answer here."
            )
        else:
            del self.fields["email"]
