"""The text form of amounts."""

import pytest

from wallet.base.errors import WalletError
from wallet.base.money import change, display, figure

pytestmark = pytest.mark.usefixtures("marks")


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (0, "FUN", "0 chips"),
        (1, "FUN", "1 chip"),
        (-1, "FUN", "−1 chip"),
        (999, "FUN", "999 chips"),
        (1_000, "FUN", "1,000 chips"),
        (123_456, "FUN", "1,23,456 chips"),
        (1_234_567_890, "FUN", "1,23,45,67,890 chips"),
        (0, "TST", "¤0.00"),
        (5, "TST", "¤0.05"),
        (100, "TST", "¤1.00"),
        (12_345_678, "TST", "¤1,23,456.78"),
        (-12_345, "TST", "−¤123.45"),
    ],
)
def test_amounts_read_with_their_unit_in_indian_grouping(amount: int, currency: str, text: str) -> None:
    assert display(amount, currency) == text


def test_figures_stand_alone_and_changes_carry_their_sign() -> None:
    assert [figure(150_000, "FUN"), figure(-150_000, "TST")] == ["1,50,000", "−1,500.00"]
    assert [change(500, "FUN"), change(-500, "FUN"), change(0, "FUN")] == ["+500", "−500", "0"]


def test_an_unknown_currency_is_refused() -> None:
    with pytest.raises(WalletError, match="no currency EUR"):
        display(1, "EUR")
