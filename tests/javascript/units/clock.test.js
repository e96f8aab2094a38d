import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { awaitedSeats, remaining } from "../../../static/js/table/model/clock.js";

test("time runs down from what the server said, and not below nothing", () => {
  assert.equal(remaining({ remaining_ms: 20_000 }, 500), 19_500);
  assert.equal(remaining({ remaining_ms: 20_000 }, 20_001), 0);
  assert.equal(remaining(null, 500), null);
});

describe("who is awaited", () => {
  const seats = ["playing", "dropped", "playing", "submitted"].map((status, seat) => ({ seat, status }));
  const none = { deal: null, melding_by: null, prompt: null };
  const awaited = (phase, more = {}) => [...awaitedSeats({ phase, seats, ...none, ...more })];

  test("in a turn one player, with a clock or without, seat 0 too", () => {
    assert.deepEqual(awaited("playing", { deal: { turn_seat: 0 } }), [0]);
    assert.deepEqual(awaited("playing", { deal: { turn_seat: 2 } }), [2]);
  });

  test("before and between deals nobody", () => {
    assert.deepEqual(awaited("starting", { deal: { turn_seat: null } }), []);
    assert.deepEqual(awaited("result", { deal: { turn_seat: 2 } }), []);
  });

  test("while hands are shown first the declarer, then all who still play", () => {
    assert.deepEqual(awaited("melding", { melding_by: 0 }), [0]);
    assert.deepEqual(awaited("melding"), [0, 2]);
  });

  test("at a question those who have not answered", () => {
    assert.deepEqual(awaited("rejoin", { prompt: { kind: "rejoin", seats: [1, 3] } }), [1, 3]);
    const lines = [{ seat: 0 }, { seat: 2 }, { seat: 3 }];
    const prompt = { kind: "split", by: 0, lines, answers: { 0: true, 2: true } };
    assert.deepEqual(awaited("split", { prompt }), [3]);
  });
});
