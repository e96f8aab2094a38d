"""Check the shuffle of a finished deal, or every line of one in notation."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError

from rules.commands.base import amount
from rules.errors import quoted
from rules.fairness import verify
from rules.notation import NotationError, read, replay
from tables.history import proofs
from tables.history.selectors import open_deals
from tables.models import Deal
from tables.notation import content_of
from wallet.base.commands import OneLineCommand

#: What is told of a deal that was not played to its end.
_ENDS: Final[Mapping[str, str]] = {
    Deal.Status.VOID: " It was void: nobody scored.",
    Deal.Status.CANCELLED: " It was cancelled with its match.",
}


class Command(OneLineCommand):
    help = (
        "Recompute a finished deal from its proof; exit 1 names every difference. With --file, play a deal in Rummy "
        "Deal Notation again; exit 1 names the first line that cannot be."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("deal_id", nargs="?", type=amount)
        parser.add_argument("--proof", type=Path, metavar="FILE", help="a proof as the site hands it out")
        parser.add_argument("--file", metavar="FILE.rdn", help="a deal in Rummy Deal Notation; -: standard input")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, deal_id: int | None, proof: Path | None, file: str | None, **options: Any) -> None:
        if [deal_id, proof, file].count(None) != 2:
            raise CommandError("Give the id of a deal, --proof FILE or --file FILE.rdn.", returncode=2)
        if file is not None:
            self._replay(file, as_json=options["json"])
            return
        content = _read(proof) if proof is not None else _of_deal(deal_id or 0)
        differences = verify(content)
        self._tell(content, differences, as_json=options["json"])
        if differences:
            raise SystemExit(1)

    def _replay(self, file: str, *, as_json: bool) -> None:
        deal, moves, fault = None, 0, None
        try:
            notation = read(content_of(file))
            deal, moves = notation.deal, len(notation.moves)
            for _ in replay(notation):
                pass
        except NotationError as error:
            fault = error
        if as_json:
            answer = {"deal": deal, "honest": fault is None, "differences": [fault.message] if fault else []}
            self.stdout.write(json.dumps(answer | {"line": fault.line if fault else None}))
        elif fault:
            self.stdout.write(fault.message)
        else:
            self.stdout.write(
                f"Deal {deal} can have been played exactly so: {moves} moves, every card and every point."
            )
        if fault:
            raise SystemExit(1)

    def _tell(self, content: Mapping[str, Any], differences: list[str], *, as_json: bool) -> None:
        if as_json:
            answer = {"deal": content.get("deal"), "honest": not differences, "differences": differences}
            self.stdout.write(json.dumps(answer))
            return
        for difference in differences:
            self.stdout.write(difference)
        if not differences:
            how = _ENDS.get(str(content.get("status")), "")
            self.stdout.write(f"Deal {content['deal']} is exactly what its seeds give.{how}")


def _of_deal(deal_id: int) -> Mapping[str, Any]:
    deal = Deal.objects.filter(pk=deal_id).first()
    if deal is None:
        raise CommandError(f"There is no deal {deal_id}.", returncode=2)
    if deal.ended_at is None:
        raise CommandError(f"Deal {deal_id} has not ended: its seed is revealed afterwards.", returncode=2)
    if not open_deals().filter(pk=deal_id).exists():
        raise CommandError(f"Deal {deal_id} is not open yet: others may still play its shoe.", returncode=2)
    return proofs.proof(deal)


def _read(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no JSON"
        raise CommandError(f"{quoted(str(file), 80)} cannot be read: {reason}", returncode=2) from error
    if not isinstance(content, dict):
        raise CommandError(f"{quoted(str(file), 80)} does not hold a proof.", returncode=2)
    return content
