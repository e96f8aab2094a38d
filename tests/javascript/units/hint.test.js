// The hint of a first deal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage } from "./page_stub.js";

const byId = newPage(["hint"]);
const { renderHint } = await import("../../../static/js/table/view/hint.js");

test("its explanation, which lies over the piles, goes by a press on it or on what opened it", () => {
  const hint = { text: "Draw a card.", why: "A card always comes from the closed deck.", shows: false };
  renderHint({ table: {}, own: { hint: () => hint } }, {});
  const [, why, asks] = byId("hint").children;
  const press = (node) => node.listeners.click();
  const isOpen = () => why.classList.contains("is-open");
  press(asks);
  assert.equal(isOpen(), true);
  press(why);
  assert.equal(isOpen(), false);
  press(asks);
  press(asks);
  assert.equal(isOpen(), false);
});
