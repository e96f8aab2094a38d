// What is told of a change.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage } from "./page_stub.js";

const byId = newPage(["live", "log"]);
const { afterRender, tellGroups } = await import("../../../static/js/table/view/events.js");

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

test("what groups are that have changed is said once they are judged, and nothing as the page opens", () => {
  const said = (cards, me, unsettled = 0) => {
    byId("live").textContent = "";
    const own = { arrangement: { groups: cards.map((each) => ({ cards: each })), loose: [] }, unsettled };
    tellGroups({ own, table: { me } });
    return byId("live").textContent;
  };
  const run = ["2H1", "3H1", "4H1"];
  const one = { groups: [run], kinds: ["pure"], reasons: [null] };
  const both = { groups: [run, ["9C1", "9D1", "9S1"]], kinds: ["pure", "set"], reasons: [null, null] };
  assert.equal(said([run], one), "");
  assert.equal(said([run, ["9S1", "9C1", "9D1"]], one, 1), "");
  assert.equal(said([run, ["9S1", "9C1", "9D1"]], both), "Group 2: Set");
  assert.equal(said([run, ["9S1", "9C1", "9D1"]], both), "");
});
