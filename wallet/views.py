"""The player's page about his money."""

from django.contrib.auth.mixins import LoginRequiredMixin
from django.views.generic import TemplateView


class StatementPage(LoginRequiredMixin, TemplateView):
    """Balances, and every entry with its running balance."""

    template_name = "wallet/statement.html"
