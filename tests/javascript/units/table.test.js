import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Table } from "../../../static/js/table/model/table.js";
import { frame, me } from "./table_frames.js";

let table;
beforeEach(() => {
  table = new Table();
  table.setLink("open");
  table.take(frame(5));
});

describe("frames", () => {
  test("an older one than is shown is dropped, the same one again is not", () => {
    table.take(frame(4, { phase: "over" }));
    assert.equal(table.view.phase, "playing");
    table.take(frame(5, { phase: "result" }));
    assert.equal(table.view.phase, "result");
  });

  test("the first after a reconnect counts, whatever its number", () => {
    table.setLink("reconnecting");
    table.setLink("open");
    table.take(frame(3, { phase: "result" }));
    assert.deepEqual([table.version, table.view.phase], [3, "result"]);
    table.take(frame(2, { phase: "over" }));
    assert.equal(table.version, 3);
  });

  test("what happened is told once, and not to who has just come", () => {
    const happened = [{ type: "card_drawn", seat: 1 }];
    table.take(frame(6, {}, happened));
    assert.deepEqual(table.events, happened);
    table.take(frame(6, {}, happened));
    assert.deepEqual(table.events, []);
    const fresh = new Table();
    fresh.take(frame(6, {}, happened));
    assert.deepEqual(fresh.events, []);
  });
});

describe("what can be done", () => {
  test("is in the view's moves, on an open line, at a table that goes on", () => {
    assert.equal(table.can("draw"), true);
    assert.equal(table.can("discard"), false);
    table.setLink("reconnecting");
    assert.equal(table.can("draw"), false);
  });

  test("is nothing at a stopped table until a frame says that it goes on", () => {
    table.take(frame(6, { table: { id: 7, stopped: true } }));
    assert.deepEqual([table.halted, table.can("draw")], ["stopped", false]);
    table.take(frame(7));
    assert.deepEqual([table.halted, table.can("draw")], ["", true]);
  });

  test("is nothing while the result waits: the same version again changes nothing, the next one does", () => {
    table.halted = "waiting";
    table.take(frame(5));
    assert.equal(table.halted, "waiting");
    table.take(frame(6));
    assert.equal(table.halted, "");
  });

  test("is nothing for who only watches", () => {
    table.take(frame(6, { me: null }));
    assert.equal(table.can("draw"), false);
  });

  test("to show undrawn takes both moves", () => {
    assert.equal(table.showsUndrawn, false);
    table.take(frame(6, { me: me({ moves: ["draw", "finish"] }) }));
    assert.equal(table.showsUndrawn, true);
  });
});

test("a row of a result is one's own only if the seat was one's own then", () => {
  assert.equal(table.isMine({ seat: 0, name: "Asha" }), true);
  assert.equal(table.isMine({ seat: 0, name: "Mina" }), false);
  assert.equal(table.isMine({ seat: 1, name: "Ravi" }), false);
});

test("whether the player is awaited is known from the view", () => {
  assert.equal(table.awaited, false);
  table.take(frame(6, { phase: "playing", deal: { turn_seat: 0 } }));
  assert.equal(table.awaited, true);
  table.take(frame(7, { phase: "playing", deal: { turn_seat: 1 } }));
  assert.equal(table.awaited, false);
});
