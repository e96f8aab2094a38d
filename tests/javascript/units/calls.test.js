import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf } from "../../../static/js/table/model/calls.js";

const SEATS = [
  { seat: 0, status: "playing" },
  { seat: 1, status: "playing" },
];

/** A view of the player in seat 0. */
function view(clock, moves, more = {}) {
  return { clock, me: { seat: 0, moves }, seats: SEATS, melding_by: null, prompt: null, ...more };
}

describe("the player is called", () => {
  test("for their own turn, also in extra time, and for nobody else's", () => {
    assert.equal(callOf(view({ kind: "turn", seat: 0 }, ["draw"])), "turn");
    assert.equal(callOf(view({ kind: "extra", seat: 0 }, ["discard", "finish"])), "turn");
    assert.equal(callOf(view({ kind: "turn", seat: 1 }, ["arrange"])), null);
  });

  test("for their hand while it is awaited", () => {
    assert.equal(callOf(view({ kind: "meld", seat: null }, ["submit"])), "submit");
    assert.equal(callOf(view({ kind: "meld", seat: null }, ["submit"], { melding_by: 1 })), null);
  });

  test("for an answer that they have not given", () => {
    const prompt = { kind: "split", lines: [{ seat: 0 }, { seat: 1 }], answers: { 1: true } };
    assert.equal(callOf(view({ kind: "split", seat: null }, ["answer_split"], { prompt })), "answer");
    const rejoin = { kind: "rejoin", seats: [1] };
    assert.equal(callOf(view({ kind: "rejoin", seat: null }, [], { prompt: rejoin })), null);
  });

  test("when a deal begins, and to say that they stay", () => {
    assert.equal(callOf(view({ kind: "start", seat: null }, ["leave"])), "start");
    assert.equal(callOf(view({ kind: "result", seat: null }, ["continue", "leave"])), "continue");
    assert.equal(callOf(view({ kind: "result", seat: null }, ["leave"])), null, "they have said so");
  });

  test("never without a clock, nor who only watches", () => {
    assert.equal(callOf(view(null, ["continue"])), null);
    assert.equal(callOf({ ...view({ kind: "start", seat: null }, []), me: null }), null);
  });
});
