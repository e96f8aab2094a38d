import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { awaitedSeats, remaining } from "../../../static/js/table/model/clock.js";

test("time runs down from what the server said, and not below nothing", () => {
  assert.equal(remaining({ remaining_ms: 20_000 }, 500), 19_500);
  assert.equal(remaining({ remaining_ms: 20_000 }, 20_001), 0);
  assert.equal(remaining(null, 500), null);
});

describe("whose time runs", () => {
  const seats = ["playing", "dropped", "playing", "submitted"].map((status, seat) => ({ seat, status }));
  const awaited = (clock, more = {}) => [...awaitedSeats({ clock, seats, melding_by: null, prompt: null, ...more })];

  test("in a turn and in extra time that of one player, seat 0 too", () => {
    assert.deepEqual(awaited({ kind: "turn", seat: 0 }), [0]);
    assert.deepEqual(awaited({ kind: "extra", seat: 2 }), [2]);
  });

  test("before and between deals nobody's", () => {
    assert.deepEqual(awaited({ kind: "start", seat: null }), []);
    assert.deepEqual(awaited({ kind: "result", seat: null }), []);
  });

  test("while hands are shown first the declarer's, then that of all who still play", () => {
    assert.deepEqual(awaited({ kind: "meld", seat: null }, { melding_by: 0 }), [0]);
    assert.deepEqual(awaited({ kind: "meld", seat: null }), [0, 2]);
  });

  test("at a question that of those who have not answered", () => {
    assert.deepEqual(awaited({ kind: "rejoin", seat: null }, { prompt: { kind: "rejoin", seats: [1, 3] } }), [1, 3]);
    const lines = [{ seat: 0 }, { seat: 2 }, { seat: 3 }];
    const prompt = { kind: "split", by: 0, lines, answers: { 0: true, 2: true } };
    assert.deepEqual(awaited({ kind: "split", seat: null }, { prompt }), [3]);
  });
});
