import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf } from "../../../static/js/table/model/calls.js";

const SEATS = [
  { seat: 0, status: "playing" },
  { seat: 1, status: "playing" },
];

/** A view of the player in seat 0. */
function view(phase, moves, more = {}) {
  const deal = { turn_seat: 0 };
  return { phase, clock: null, deal, me: { seat: 0, moves }, seats: SEATS, melding_by: null, prompt: null, ...more };
}

describe("the player is called", () => {
  test("for their own turn, without a clock and in extra time, and for nobody else's", () => {
    assert.equal(callOf(view("playing", ["draw"])), "turn");
    assert.equal(callOf(view("playing", ["discard", "finish"], { clock: { kind: "extra", seat: 0 } })), "turn");
    assert.equal(callOf(view("playing", ["arrange"], { deal: { turn_seat: 1 } })), null);
  });

  test("for their hand while it is awaited", () => {
    assert.equal(callOf(view("melding", ["submit"])), "submit");
    assert.equal(callOf(view("melding", ["submit"], { melding_by: 1 })), null);
  });

  test("for an answer that they have not given", () => {
    const prompt = { kind: "split", lines: [{ seat: 0 }, { seat: 1 }], answers: { 1: true } };
    assert.equal(callOf(view("split", ["answer_split"], { prompt })), "answer");
    const rejoin = { kind: "rejoin", seats: [1] };
    assert.equal(callOf(view("rejoin", [], { prompt: rejoin })), null);
  });

  test("when a deal begins, and to say that they stay", () => {
    assert.equal(callOf(view("starting", ["leave"], { clock: { kind: "start", seat: null } })), "start");
    assert.equal(callOf(view("result", ["continue", "leave"])), "continue");
    assert.equal(callOf(view("result", ["leave"])), null, "they have said so");
  });

  test("never while nothing begins, nor who only watches", () => {
    assert.equal(callOf(view("waiting", ["leave"], { deal: null })), null);
    assert.equal(callOf({ ...view("playing", ["draw"]), me: null }), null);
  });
});
