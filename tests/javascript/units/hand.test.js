// The own cards as a screen reader is told them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage } from "./page_stub.js";

const byId = newPage(["hand", "hand-region", "room", "boxes", "boxes-grid"]);
globalThis.ResizeObserver = class {
  observe() {
    // Nothing changes its size here.
  }
};
HTMLElement.prototype.getBoundingClientRect = () => ({ left: 0, top: 0, width: 348, height: 290 });
HTMLElement.prototype.animate = () => ({ cancel: () => undefined });
byId("boxes").hidden = true;
const { Hand } = await import("../../../static/js/table/view/hand.js");

test("each row of the loose cards says what its button selects, although only the first is labelled", () => {
  const loose = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"].map((rank) => `${rank}H1`);
  const own = { arrangement: { groups: [], loose }, selected: new Set(), hint: () => null, pendingCard: null };
  const hand = new Hand({ own, table: { view: null, me: null, seat: () => null } });
  hand.render({ still: true });
  const labels = hand.trays.children.map((tray) => tray.querySelector(".tray-label"));
  assert.deepEqual(
    labels.map((label) => label.textContent),
    ["Loose", ""],
  );
  for (const label of labels) assert.match(label.getAttribute("aria-label"), /^Loose.*: select the \d+ cards$/);
});
