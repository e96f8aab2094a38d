// Two windows of a player: the one that does not play the seat says so, also while it is about to take the seat back.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { newPage } from "./page_stub.js";

class Line {
  static all = [];
  static OPEN = 1;
  static CONNECTING = 0;
  readyState = Line.CONNECTING;
  constructor() {
    Line.all.push(this);
  }
  open() {
    this.readyState = Line.OPEN;
    this.onopen();
  }
  send = () => undefined;
  close = () => undefined;
}

/** A socket in a page that is looked at, on lines and a clock of the test, and the states that it has told. */
async function watchedSocket() {
  mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  newPage([]);
  Object.assign(document, { hidden: false, hasFocus: () => true, addEventListener: () => undefined });
  globalThis.WebSocket = Line;
  const { TableSocket } = await import("../../../static/js/table/net/socket.js");
  const told = [];
  const handlers = { frame: () => undefined, opened: () => undefined, awaited: () => false };
  const socket = new TableSocket("ws://here/", { ...handlers, status: (name) => told.push(name) });
  return { socket, told };
}

test("a window that loses the seat while it is looked at takes it back once, and says meanwhile who plays it", async () => {
  const { socket, told } = await watchedSocket();
  socket.connect();
  Line.all[0].open();
  Line.all[0].onclose({ code: 4001 });
  mock.timers.tick(5000);
  assert.equal(Line.all.length, 2, "it takes the seat back");
  assert.deepEqual(told, ["connecting", "open", "replaced"]);
  Line.all[1].open();
  Line.all[1].onclose({ code: 4001 });
  mock.timers.tick(60_000);
  assert.deepEqual(told.slice(3), ["open", "replaced"], "the second time it leaves it there");
  assert.equal(Line.all.length, 2);
  mock.timers.reset();
});

test("whoever may not watch a table reads so, and not that they are signed out", async () => {
  const { socket, told } = await watchedSocket();
  socket.connect();
  const line = Line.all.at(-1);
  line.open();
  line.onmessage({ data: '{"type":"error","code":"barred"}' });
  line.onclose({ code: 4003 });
  assert.deepEqual(told, ["connecting", "open", "no-table"]);
  mock.timers.reset();
});

test("whose session ends is let in once more with the cookie of another window, and else reads that they are signed out", async () => {
  const { socket, told } = await watchedSocket();
  socket.connect();
  for (const letIn of [true, true, false]) {
    const line = Line.all.at(-1);
    line.open();
    if (letIn) line.onmessage({ data: '{"type":"state"}' });
    line.onclose({ code: 4003 });
    mock.timers.tick(5000);
  }
  const again = ["reconnecting", "reconnecting", "open"];
  assert.deepEqual(told, ["connecting", "open", ...again, ...again, "signed-out"]);
  mock.timers.reset();
});
