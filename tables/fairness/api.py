"""Fairness over HTTP, and the queries of its files."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables.fairness.published import ExactLaw, FairnessFigures, exact_laws, published
from wallet.base.api import responses
from wallet.finance.own_data import FILE_FORMATS


class FairnessFileQuery(serializers.Serializer[Any]):
    format = serializers.ChoiceField(choices=FILE_FORMATS, default="csv")


class FairnessAnswer(FairnessFigures):
    laws: list[ExactLaw]


class Fairness(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="fairness", responses=responses(FairnessAnswer))
    def get(self, request: Request) -> Response:
        """Return what finished deals gave beside what a fair shuffle gives, as of the last night."""
        return Response(FairnessAnswer(**published(), laws=exact_laws()))
