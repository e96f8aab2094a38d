// The row of moves while cards are melded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage } from "./page_stub.js";

const byId = newPage(["actions"]);
const { renderButtons } = await import("../../../static/js/table/view/buttons.js");

const actions = { isAsking: () => false };
const group = (cards, melded) => ({ cards, melded });

/** The buttons that are there, and those of them that are lit, for an arrangement while one may submit. */
function drawn({ groups, loose, moves = ["submit", "arrange"] }) {
  const me = { hand: ["3H1"], moves };
  const can = (move) => moves.includes(move);
  const table = { view: { phase: "melding", me }, can, stopped: false };
  renderButtons({ table, own: { selected: new Set(), arrangement: { groups, loose } } }, actions);
  const buttons = byId("actions").children;
  const names = (nodes) => nodes.map((node) => node.id.replace("act-", ""));
  return [names(buttons), names(buttons.filter((node) => node.classList.contains("is-main")))];
}

test("who has not sorted yet may sort while melding, until a box is filled", () => {
  const moves = ["submit", "arrange", "sort"];
  const [all, lit] = drawn({ groups: [], loose: ["3H1", "4H1", "5H1"], moves });
  assert.deepEqual(all, ["sort", "meld-all", "meld", "clear", "submit"]);
  assert.deepEqual(lit, [], "cards as they were dealt are hardly what one means to submit");
  assert.ok(!drawn({ groups: [group(["3H1"], true)], loose: [], moves })[0].includes("sort"));
  assert.ok(!drawn({ groups: [], loose: ["3H1"] })[0].includes("sort"), "it is used");
});

test("to submit is lit once there are groups", () => {
  assert.deepEqual(drawn({ groups: [group(["3H1"], true)], loose: ["5C1"] })[1], ["submit"]);
});
