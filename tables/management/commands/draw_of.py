"""Draw the seats of a round of a tournament again."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from rules.commands.base import amount
from tables.models import Entrant, Round
from tables.tournaments.knockout import proof_of_draw
from wallet.base.commands import OneLineCommand


class Command(OneLineCommand):
    help = "Recompute the seats of a drawn round from its proof; exit 1 if the tables had other players."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tournament", type=amount)
        parser.add_argument("round", type=amount)
        parser.add_argument("--json", action="store_true")

    def handle(self, *, tournament: int, round: int, **options: Any) -> None:
        row = Round.objects.select_related("tournament").filter(tournament_id=tournament, number=round).first()
        if row is None or row.began_ms is None:
            raise CommandError(f"Round {round} of tournament {tournament} is not drawn.", returncode=2)
        answer = proof_of_draw(row)
        if options["json"]:
            self.stdout.write(json.dumps(answer))
        else:
            for number, table in enumerate(answer["tables"], start=1):
                names = dict(Entrant.objects.filter(pk__in=table).values_list("pk", "name"))
                self.stdout.write(f"Table {number}: {', '.join(names[pk] for pk in table)}")
            self.stdout.write("The seats are exactly what the seed gives." if answer["honest"] else "The seats differ.")
        if not answer["honest"]:
            raise SystemExit(1)
