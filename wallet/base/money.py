"""Currencies and the formats of their amounts. An amount is always a whole number of the currency's smallest unit."""

from dataclasses import dataclass

from wallet.base.errors import WalletError
from wallet.language import gettext as _, gettext_lazy

#: Largest amount of one transfer: below 2^53, so that every client's numbers hold it exactly.
LARGEST_AMOUNT = 10**15


@dataclass(frozen=True, slots=True, kw_only=True)
class Currency:
    """A currency: amounts have `decimals` digits after the point, a `symbol` before them or a `noun` behind."""

    code: str
    title: str
    decimals: int
    symbol: str = ""
    noun: str = ""


#: Every currency that players hold, by its code. None of them is worth anything outside.
CURRENCIES = {"FUN": Currency(code="FUN", title=gettext_lazy("fun chips"), decimals=0, noun="chip")}
#: The chips of tournaments: each issues its own and takes them back, and nobody holds any.
TOURNAMENT = "TOURNAMENT"
COUNTERS = {TOURNAMENT: Currency(code=TOURNAMENT, title=gettext_lazy("tournament chips"), decimals=0, noun="chip")}


def currency(code: str) -> Currency:
    """Return the currency of that code; WalletError `unknown_currency` where there is none."""
    unit = CURRENCIES.get(code) or COUNTERS.get(code)
    if unit is None:
        raise WalletError("unknown_currency", _("There is no currency {code}.", code=code[:40]))
    return unit


def unit(code: str) -> str:
    """Return what whole numbers of the smallest unit count, for headings: `fun chips`; with decimals so said."""
    known = currency(code)
    return f"{known.title}, smallest unit" if known.decimals else str(known.title)


def figure(amount: int, code: str) -> str:
    """Return the bare number in Indian grouping: 1234567 reads `12,34,567`, with two decimals `12,345.67`."""
    decimals = currency(code).decimals
    whole, part = divmod(abs(amount), 10**decimals)
    fraction = f".{part:0{decimals}d}" if decimals else ""
    return f"{'−' if amount < 0 else ''}{_grouped(whole)}{fraction}"


def plain(amount: int, code: str) -> str:
    """Return the number as people type it: `800`, with two decimals `800.00`."""
    decimals = currency(code).decimals
    whole, part = divmod(amount, 10**decimals)
    return f"{whole}.{part:0{decimals}d}" if decimals else str(whole)


def display(amount: int, code: str) -> str:
    """Return the number with its unit: `1,500 chips`, `1 chip`; with a symbol `−¤15.00`."""
    unit = currency(code)
    number = f"{'−' if amount < 0 else ''}{unit.symbol}{figure(abs(amount), code)}"
    if not unit.noun:
        return number
    return _("{amount} chip", amount=number) if abs(amount) == 1 else _("{amount} chips", amount=number)


def change(amount: int, code: str) -> str:
    """Return the bare number with its sign, for a column of changes: `+1,500`, `−800`."""
    return f"{'+' if amount > 0 else ''}{figure(amount, code)}"


def display_change(amount: int, code: str) -> str:
    """Return a gain or loss with its sign and unit: `+1,500 chips`, `−800 chips`."""
    return f"{'+' if amount > 0 else ''}{display(amount, code)}"


def _grouped(whole: int) -> str:
    """Return the digits in Indian grouping: the last three together, pairs before them."""
    digits = str(whole)
    head, tail = digits[:-3], digits[-3:]
    pairs: list[str] = []
    while head:
        head, pair = head[:-2], head[-2:]
        pairs.insert(0, pair)
    return ",".join([*pairs, tail])
