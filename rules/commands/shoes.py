"""`deal`: the order of a shoe from the fairness inputs, so that anybody can compare it with what they were dealt."""

from __future__ import annotations

from argparse import ArgumentParser

from rules import shuffling
from rules.cards import MAX_PACKS
from rules.commands.base import BadQuestion, Fields, RulesCommand
from rules.errors import quoted


class DealCommand(RulesCommand):
    help = "Give the commitment, the order of the shoe and the order of the toss pack that these seeds decide."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--deal-id", required=True)
        parser.add_argument("--seed", required=True, metavar="HEX", help="the seed of the server")
        parser.add_argument(
            "--client", default="", metavar="HEX[,HEX...]", help="the seeds of the seats, in seat order"
        )
        parser.add_argument("--packs", required=True, type=int, choices=range(1, MAX_PACKS + 1))

    def answer(self, question: Fields) -> Fields:
        deal_id, seed = question["deal_id"], _bytes(question["seed"])
        clients = [_bytes(client) for client in question["client"].split(",")]
        return {
            "commitment": shuffling.commitment(deal_id, seed),
            "shoe": shuffling.shoe(deal_id, seed, clients, question["packs"]),
            "toss": shuffling.toss(deal_id, seed, clients),
        }

    def text(self, question: Fields, answer: Fields) -> str:
        shoe, toss = " ".join(answer["shoe"]), " ".join(answer["toss"])
        return f"commitment {answer['commitment']}\nshoe       {shoe}\ntoss       {toss}"


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise BadQuestion(f"no hexadecimal bytes: {quoted(text)}") from error
