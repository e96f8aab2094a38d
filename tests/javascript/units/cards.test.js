import assert from "node:assert/strict";
import { test } from "node:test";
import { cardName, inReadingOrder, isMarked, readCard } from "../../../static/js/shared/cards.js";

test("a card is read with its pack or without", () => {
  assert.deepEqual(readCard("10D2"), { joker: false, rank: "10", suit: "D", number: 10 });
  assert.deepEqual(readCard("AS"), { joker: false, rank: "A", suit: "S", number: 1 });
  assert.equal(readCard("JR1").joker, true);
  assert.equal(readCard("JD1").joker, false);
});

test("the joker's mark is on printed jokers and on the wild rank, and on nothing before the cut joker is known", () => {
  assert.equal(isMarked("JR1", null), true);
  assert.equal(isMarked("7D1", 7), true);
  assert.equal(isMarked("AD1", 1), true);
  assert.equal(isMarked("7D1", 8), false);
  assert.equal(isMarked("7D1", null), false);
});

test("a card has a name that can be spoken", () => {
  assert.equal(cardName("QH2"), "queen of hearts");
  assert.equal(cardName("10C1", 10), "10 of clubs, wild");
  assert.equal(cardName("JR1", 10), "printed joker");
});

test("cards are read by rank, an ace beside its king high, jokers last", () => {
  assert.deepEqual(inReadingOrder(["JR1", "KH1", "AH1", "QH1"]), ["QH1", "KH1", "AH1", "JR1"]);
  assert.deepEqual(inReadingOrder(["3H1", "AH1", "2H1"]), ["AH1", "2H1", "3H1"]);
  assert.deepEqual(inReadingOrder(["10S1", "9S1", "JS1"]), ["9S1", "10S1", "JS1"]);
});
