// Which of several tables calls loudest, and which comes to the front.

import assert from "node:assert/strict";
import { test } from "node:test";
import { beginsElsewhere, calling, givesWay, names } from "../../../static/js/own_tables/tray.js";

const report = (table, call, seconds) => ({ table, title: `Table ${table}`, status: "", call, seconds });
const practice = report(1, "turn", null);
const begins = report(2, "start", 8);
const urgent = report(3, "turn", 9);
const answer = report(4, "answer", 20);
const theirTurn = report(5, null, 12);
const empty = report(6, null, null);

test("a running clock calls before a deal that begins, and practice last", () => {
  const all = [practice, theirTurn, begins, answer, empty, urgent];
  assert.deepEqual(
    calling(all).map(({ table }) => table),
    [3, 4, 2, 1],
  );
});

test("practice gives way to a turn, and never draws away from a clock that runs", () => {
  assert.ok(givesWay(practice, urgent));
  assert.ok(givesWay(theirTurn, urgent));
  assert.ok(givesWay(empty, practice));
  assert.ok(givesWay(undefined, practice));
  assert.ok(!givesWay(urgent, answer), "what waits in front is not taken away");
  assert.ok(!givesWay(urgent, practice));
  assert.ok(!givesWay(theirTurn, practice));
  assert.ok(!givesWay(practice, report(7, "turn", null)));
});

test("a deal that begins is told over practice, not over a table that is played or that begins itself", () => {
  assert.equal(beginsElsewhere([practice, begins], practice)?.table, 2);
  assert.equal(beginsElsewhere([empty, begins], empty)?.table, 2);
  assert.equal(
    beginsElsewhere([{ ...begins, practice: true }, empty], empty),
    undefined,
    "nobody has come to practice",
  );
  assert.equal(beginsElsewhere([urgent, begins], urgent), undefined);
  assert.equal(beginsElsewhere([practice, begins], begins), undefined);
  assert.equal(beginsElsewhere([practice, urgent], practice), undefined);
});

test("tables of one title are told apart by their place in the tray", () => {
  const called = names([
    [7, "Practice"],
    [9, "Pool"],
    [12, "Practice"],
  ]);
  assert.deepEqual([...called.values()], ["1 · Practice", "Pool", "3 · Practice"]);
  assert.deepEqual([...names([[7, "Practice"]]).values()], ["Practice"]);
});
