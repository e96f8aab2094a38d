import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Commands } from "../../../static/js/table/net/commands.js";

let sent;
let commands;
beforeEach(() => {
  sent = [];
  commands = new Commands({ send: (frame) => sent.push(frame) }, () => 12);
});

test("every request has an id of its own, other windows have others", () => {
  commands.ask("draw", { pile: "open" });
  commands.ask("draw", { pile: "open" });
  new Commands({ send: (frame) => sent.push(frame) }, () => 12).ask("draw", { pile: "open" });
  assert.equal(new Set(sent.map(({ id }) => id)).size, 3);
  for (const { id } of sent) assert.ok(id.length <= 64);
});

test("a move says on which version it was made, an arrangement does not", () => {
  commands.ask("discard", { card: "KC1" });
  commands.ask("arrange", { groups: [] });
  assert.deepEqual(
    sent.map(({ version }) => version),
    [12, undefined],
  );
});

test("what is unanswered is sent once more, the same and in its order; what is answered is not", async () => {
  const first = commands.ask("sort");
  commands.ask("draw", { pile: "closed" });
  commands.ask("auto_drop", { on: true });
  assert.equal(commands.answered({ type: "ack", id: sent[0].id, version: 13 }), true);
  assert.equal((await first).ok, true);
  const before = sent.slice(1, 3);
  sent.length = 0;
  commands.resend();
  assert.deepEqual(sent, before);
});

test("a refusal comes with the server's words, once", async () => {
  const asked = commands.ask("draw", { pile: "open" });
  const refusal = { type: "error", id: sent[0].id, code: "pile_empty", message: "Nothing lies there.", version: 12 };
  assert.equal(commands.answered(refusal), true);
  assert.deepEqual(await asked, { ok: false, code: "pile_empty", message: "Nothing lies there.", version: 12 });
  assert.equal(commands.answered(refusal), false);
});

test("an answer to nobody here is left to others", () => {
  assert.equal(commands.answered({ type: "error", code: "bad_frame", message: "…", version: 12 }), false);
});
