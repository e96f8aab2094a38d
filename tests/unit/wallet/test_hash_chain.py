"""The text that a link covers: the books of every release are linked by exactly this, field by field."""

import hmac
from datetime import UTC, datetime

from wallet.keys.deriving import FastHmac
from wallet.ledger.hash_chain import TrailEnd, link_hash


def test_a_link_covers_every_field_of_the_transfer_in_this_order() -> None:
    made_at = datetime(1970, 1, 1, 0, 0, 2, 7, tzinfo=UTC)
    line, debit, credit, amount, debit_balance, credit_balance = 1, 22, 33, 500, 1_500, 700
    content = line, debit, credit, amount, debit_balance, credit_balance
    text = b'["aa","bb","cc",2000007,1,22,33,500,1500,700,44,"dd"]'
    link = link_hash(("aa", "bb"), "cc", made_at, content, TrailEnd(44, "dd"), FastHmac(b"a key"))
    assert link == hmac.new(b"a key", text, "sha256").hexdigest()
