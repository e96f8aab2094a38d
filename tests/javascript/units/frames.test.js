import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { receiver } from "../../../static/js/table/net/frames.js";

let store;
let sent;
let shown;
let receive;
beforeEach(() => {
  sent = [];
  shown = [];
  const halt = (why) => {
    store.table.halted = why;
  };
  store = { table: { version: 12, halted: "" }, taken: [], take: (frame) => store.taken.push(frame), halt };
  const commands = { answered: (frame) => frame.id === "mine" };
  receive = receiver(store, commands, {
    send: (frame) => sent.push(frame.type),
    showMessage: (text) => shown.push(text),
  });
});

const error = (code, id) => ({ type: "error", code, id, message: `said: ${code}`, version: 12 });

test("a state is taken, and an outage is shown", () => {
  receive({ type: "state", version: 13, view: {}, away_ms: 3200 });
  assert.equal(store.taken.length, 1);
  assert.match(shown[0], /away for 3 seconds/);
});

test("whoever missed a version, or stands at a stopped table, asks for the state", () => {
  receive({ type: "pong", version: 12 });
  assert.deepEqual(sent, []);
  receive({ type: "pong", version: 13 });
  store.table.halted = "stopped";
  receive({ type: "pong", version: 12 });
  assert.deepEqual(sent, ["sync", "sync"]);
});

test("a refusal is shown where nobody here asked; who asked shows it themselves", () => {
  receive(error("rate_limited", undefined));
  receive(error("must_draw", "mine"));
  assert.deepEqual(shown, ["said: rate_limited"]);
});

test("that there is no table is said once, where the line is shown", () => {
  receive(error("barred", undefined));
  receive(error("not_found", undefined));
  assert.deepEqual(shown, []);
});

test("a stale move brings the newest state", () => {
  receive(error("stale", "mine"));
  assert.deepEqual(sent, ["sync"]);
});

test("a table stops for whoever hears of it, and waits where the books are checked", () => {
  receive(error("frozen", "mine"));
  assert.equal(store.table.halted, "stopped");
  receive(error("settlement_frozen", undefined));
  assert.equal(store.table.halted, "waiting");
  assert.deepEqual(shown, []);
});

test("a frame of a kind not known yet is left alone", () => {
  receive({ type: "fireworks" });
  assert.deepEqual([sent, shown, store.taken], [[], [], []]);
});
