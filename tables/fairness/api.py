"""Fairness over HTTP."""

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables.fairness.published import exact_laws, published
from tables.fairness.schemas import FairnessAnswer


class Fairness(APIView):
    permission_classes = [AllowAny]

    @extend_schema(operation_id="fairness", responses=FairnessAnswer)
    def get(self, request: Request) -> Response:
        """Return what finished deals gave beside what a fair shuffle gives, as of the last night."""
        return Response({**published(), "laws": exact_laws()})
