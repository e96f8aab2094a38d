"""Fairness over HTTP, and the queries of its files."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rules.books import BOOKS
from rules.expectations.figures import Measure
from rules.expectations.tallies import Holders
from tables.fairness.published import exact_laws, published
from wallet.finance.own_data import FILE_FORMATS


class FairnessFileQuery(serializers.Serializer[Any]):
    format = serializers.ChoiceField(choices=FILE_FORMATS, default="csv")


class FairnessFigure(serializers.Serializer[Any]):
    book = serializers.ChoiceField(choices=list(BOOKS), allow_null=True, help_text="Null: all books together.")
    holders = serializers.ChoiceField(choices=[Holders.PEOPLE.value, Holders.COMPUTERS.value])
    seat = serializers.IntegerField(allow_null=True, help_text="Null: all their seats together.")
    measure = serializers.ChoiceField(choices=[measure.value for measure in Measure])
    count = serializers.IntegerField(help_text="Hands, tosses or deals that were counted.")
    observed = serializers.FloatField(help_text="For each of them; of `every_card` the chi-squared statistic.")
    expected = serializers.FloatField(allow_null=True, help_text="The exact expectation, where there is a law.")
    low = serializers.FloatField(allow_null=True, help_text="The 95 % interval of what was observed begins here.")
    high = serializers.FloatField(allow_null=True)
    p = serializers.FloatField(allow_null=True, help_text="Chance of a fair shuffle to be so far out, on both sides.")
    p_corrected = serializers.FloatField(
        allow_null=True, help_text="The same after Holm's correction over all figures."
    )
    verdict = serializers.ChoiceField(choices=["fits", "outside", "beyond chance", "too few", "no law"])


class ExactLaw(serializers.Serializer[Any]):
    packs = serializers.IntegerField()
    measure = serializers.ChoiceField(choices=[measure.value for measure in Measure])
    exact = serializers.CharField(help_text="The mean of one hand as a fraction.")
    expected = serializers.FloatField()


class FairnessAnswer(serializers.Serializer[Any]):
    until = serializers.DateTimeField(allow_null=True, help_text="Matches that ended until then are counted.")
    deals = serializers.DictField(child=serializers.IntegerField(), help_text="Deals with a result, by book.")
    void = serializers.IntegerField(help_text="Void deals, of which nothing else is counted.")
    shared = serializers.IntegerField(help_text="Deals that can be downloaded: everybody in them has agreed.")
    tested = serializers.IntegerField(help_text="Figures with a p-value.")
    outside = serializers.IntegerField(help_text="Those with p below 0.05: by chance one in twenty.")
    beyond = serializers.IntegerField(help_text="Those whose corrected p is below `bar`.")
    least = serializers.IntegerField(help_text="With fewer hands, tosses or deals a figure has no p-value.")
    bar = serializers.FloatField()
    laws = ExactLaw(many=True)
    figures = FairnessFigure(many=True)


class Fairness(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="fairness", responses=FairnessAnswer)
    def get(self, request: Request) -> Response:
        """Return what finished deals gave beside what a fair shuffle gives, as of the last night."""
        return Response({**published(), "laws": exact_laws()})
