// What is told of a change.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage } from "./page_stub.js";

const byId = newPage(["live", "log"]);
const { afterRender } = await import("../../../static/js/table/view/events.js");

test("the same event twice in a row is spoken twice: the text of the live region changes", () => {
  const event = { type: "extra_time_began", seat: 1, text: "Ravi uses extra time." };
  const store = { table: { view: { deal: null }, me: { seat: 0 }, events: [event] } };
  const told = [1, 2, 3].map(() => {
    afterRender(store, {}, { places: new Map() });
    return byId("live").textContent;
  });
  for (const text of told) assert.equal(text.trim(), event.text);
  assert.notEqual(told[0], told[1]);
  assert.notEqual(told[1], told[2]);
});
