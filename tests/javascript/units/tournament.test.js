import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { facts, standText } from "../../../static/js/shared/words.js";
import { timeLeft } from "../../../static/js/tournament/clock.js";
import { drawFaults } from "../../../static/js/tournament/draw.js";

/** The same stands in tests/unit/rules/tournaments/test_draw.py. */
const PROMISE = "ea883e96fb844cf142b765a2276b3bf1c44552e9dfa518589c5deb828fb8fb3b";
const PROOF = {
  tournament: 7,
  round: 2,
  seed: Array.from({ length: 64 }, (_, place) => place.toString(16).padStart(2, "0")).join(""),
  entrants: Array.from({ length: 9 }, (_, place) => 101 + place),
  tables: [
    [105, 109, 106, 103, 108],
    [104, 107, 101, 102],
  ],
};

describe("a draw", () => {
  test("that the server made is the one that this browser makes", () => {
    assert.deepEqual(drawFaults(PROOF, PROMISE, 2), []);
  });

  const [first, second] = PROOF.tables;
  const forged = {
    "with two who changed places": { ...PROOF, tables: [[...first].reverse(), second] },
    "of another round": { ...PROOF, round: 3 },
    "with another seed": { ...PROOF, seed: "00".repeat(64) },
    "in another order of entry": { ...PROOF, entrants: [...PROOF.entrants].reverse() },
    "without somebody": { ...PROOF, tables: [first, second.slice(1)] },
    "whose tables are not even": { ...PROOF, tables: [[...first, second[0]], second.slice(1)] },
    "that is none": { ...PROOF, seed: null },
  };
  for (const [name, proof] of Object.entries(forged))
    test(name, () => assert.notDeepEqual(drawFaults(proof, PROMISE, 2), []));

  test("whose last table is still being opened is no false one", () => {
    assert.deepEqual(drawFaults({ ...PROOF, tables: [first] }, PROMISE, 2), []);
    assert.notDeepEqual(drawFaults({ ...PROOF, tables: [first] }, PROMISE, 1), []);
  });

  test("is held against the promise on the page", () => {
    assert.deepEqual(drawFaults(PROOF, `${PROMISE.slice(1)}0`, 2), ["The promise is not the one of this seed."]);
  });
});

test("the time that is left", () => {
  const texts = [90_061_000, 3_660_000, 61_001, 1, 0, -5, Number.NaN].map(timeLeft);
  assert.deepEqual(texts, ["in 1 d 1 h", "in 1 h 1 min", "in 1 min 2 s", "in 1 s", "", "", ""]);
});

test("a table of a tournament says where it stands, and not its book", () => {
  const tournament = { round: 2, rounds: 3, deal: 1, deals: 3, place: 4, places: 36, ends_at: null };
  const table = { tournament, book: "standard-deals-3", title: "Evening" };
  assert.equal(facts(table, null), "Place 4/36 · deal 1/3 · round 2/3");
  const arena = { ...tournament, round: null, deal: null, ends_at: "2026-11-26T10:05:30+00:00" };
  const now = Date.parse("2026-11-26T10:00:00Z");
  assert.equal(standText(arena, now), "Place 4/36 · 6 min left");
  assert.equal(standText({ ...arena, place: null }, now + 600_000), "");
});
