import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  backAgain,
  bookTitle,
  callText,
  chips,
  facts,
  heading,
  leaveText,
  money,
  moneyInShort,
  plural,
  signed,
} from "../../../static/js/shared/words.js";

test("one is not many", () => {
  assert.equal(plural(1, "point"), "1 point");
  assert.equal(plural(0, "point"), "0 points");
});

test("a book without a title is called by its key", () => {
  assert.equal(bookTitle({ book: "standard-pool-101", book_title: "Pool 101" }), "Pool 101");
  assert.equal(bookTitle({ book: "standard-pool-101", book_title: "" }), "Standard pool 101");
});

test("money is written as the view says", () => {
  const fun = { digits: 0, sign: "", noun: "chip" };
  const marks = { digits: 2, sign: "¤", noun: "" };
  assert.deepEqual([chips(1, fun), chips(0, fun), chips(123_456, fun)], ["1 chip", "0 chips", "1,23,456 chips"]);
  assert.deepEqual([chips(150, marks), money(-150, marks), money(5, marks)], ["¤1.50", "−¤1.50", "¤0.05"]);
  assert.deepEqual([signed(7, fun), signed(0, fun), signed(-7, fun)], ["+7", "0", "−7"]);
});

test("its digits stand as the browser would write them in India", () => {
  const amounts = [0, 9, 10, 99, 100, 999, 1_000, 99_999, 100_000, 12_345_678, 987_654_321_098, 9_007_199_254_740];
  for (const digits of [0, 2])
    for (const amount of amounts) {
      const shape = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      const written = (amount / 10 ** digits).toLocaleString("en-IN", shape);
      assert.equal(money(amount, { digits, sign: "" }), written);
    }
});

test("where there is little room, crores are written as such, and never more of them than there are", () => {
  const [fun, marks] = [
    { digits: 0, sign: "" },
    { digits: 2, sign: "¤" },
  ];
  const short = [9_999_999, 10_000_000, 19_999_999, 112_345_678_901].map((amount) => moneyInShort(amount, fun));
  assert.deepEqual(short, ["99,99,999", "1.00 Cr", "1.99 Cr", "11,234 Cr"]);
  assert.deepEqual([moneyInShort(150, marks), moneyInShort(1_234_567_890, marks)], ["¤1.50", "¤1.23 Cr"]);
});

test("an outage is told of in whole seconds, never none", () => {
  assert.match(backAgain(200, true), /for 1 second\. .* the clock got that time back\./);
  assert.match(backAgain(61_400, false), /for 61 seconds\. Your cards are safe\.$/);
});

test("what is played is told once in the head of the table, in every language", () => {
  const table = { book: "standard-points", book_title: "पॉइंट्स रमी", title: "अभ्यास · पॉइंट्स रमी", practice: true };
  globalThis.gettext = (text) => (text === "practice" ? "अभ्यास" : text);
  assert.deepEqual([heading(table), facts(table, null)], ["पॉइंट्स रमी", "अभ्यास"]);
  delete globalThis.gettext;
  assert.equal(facts({ ...table, title: "x", book_title: "Points" }, null), "Points · practice");
  const gentle = { ...table, title: "Practice · Points · gentle", book_title: "Points" };
  assert.deepEqual([heading(gentle), facts(gentle, null)], ["Points", "Practice · gentle"]);
});

test("the code of a table for friends stands first, where no phone cuts it off", () => {
  const table = {
    book: "standard-pool-101",
    book_title: "Pool 101",
    title: "x",
    entry: 50,
    money: { digits: 0, sign: "" },
  };
  assert.equal(facts(table, { private_code: "K7F3MPQR" }), "code K7F3MPQR · entry 50 · Pool 101");
});

describe("what leaving costs", () => {
  const unit = { digits: 0, sign: "", noun: "chip" };
  const table = { point_value: 10, entry: null, currency: "FUN", money: unit };
  const told = (me, more = {}) => leaveText({ table, phase: "playing", ...more, me });

  test("in a deal it is points and chips", () => {
    assert.match(told({ leave_points: 40, leave_costs: 400 }), /costs you 40 points, 400 chips\./);
  });

  test("in a match it is the entry as well", () => {
    const match = { table: { ...table, point_value: null, entry: 100 } };
    const text = told({ leave_points: 50, leave_costs: 100 }, match);
    assert.match(text, /50 points\. You are out of the match and your entry is not returned\./);
    assert.match(told({ leave_points: null, leave_costs: 0 }, { ...match, phase: "result" }), /give up the match/);
  });

  test("it is nothing between deals, and for who only watches", () => {
    assert.match(told({ leave_points: null, leave_costs: 0 }, { phase: "result" }), /nothing now/);
    assert.match(told(null), /Nothing is at stake/);
  });
});

test("nobody is told to continue for a seat that they do not lose", () => {
  const points = { practice: false, point_value: 1, tournament: null };
  assert.equal(callText("continue", points), "Continue to keep your seat");
  assert.equal(callText("continue", { ...points, practice: true }), "The table waits for you");
  assert.equal(callText("continue", { ...points, point_value: null }), "The deal begins in a moment");
  assert.equal(callText("continue", { ...points, point_value: null, tournament: { paused: true } }), "The table waits");
  assert.equal(callText("turn", { ...points, point_value: null }), "Your turn");
});
