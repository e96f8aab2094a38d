import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { backAgain, bookTitle, chips, leaveText, money, plural, signed } from "../../../static/js/table/words.js";

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
  const rupees = { digits: 2, sign: "₹", noun: "" };
  assert.deepEqual([chips(1, fun), chips(0, fun), chips(123_456, fun)], ["1 chip", "0 chips", "1,23,456 chips"]);
  assert.deepEqual([chips(150, rupees), money(-150, rupees), money(5, rupees)], ["₹1.50", "−₹1.50", "₹0.05"]);
  assert.deepEqual([signed(7, fun), signed(0, fun), signed(-7, fun)], ["+7", "0", "−7"]);
});

test("an outage is told of in whole seconds, never none", () => {
  assert.match(backAgain(200, true), /for 1 second\. .* the clock got that time back\./);
  assert.match(backAgain(61_400, false), /for 61 seconds\. Your cards are safe\.$/);
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
