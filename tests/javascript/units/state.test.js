import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Store } from "../../../static/js/table/model/state.js";
import { frame, HAND } from "./table_frames.js";

let store;
let told;
beforeEach(() => {
  store = new Store();
  told = [];
  store.subscribe((what) => told.push(what));
  store.setLink("open");
});

test("what is the page's own has followed a frame before anybody is told of it", () => {
  store.subscribe(() => assert.deepEqual(store.own.arrangement.loose, store.table.me?.hand ?? []));
  store.take(frame(5));
  assert.deepEqual([told, store.own.arrangement.loose], [["link", "view"], HAND]);
});

test("a frame that is dropped changes nothing", () => {
  store.take(frame(5));
  store.own.select([HAND[0]]);
  store.take(frame(4, { me: null }));
  assert.deepEqual([told, [...store.own.selected]], [["link", "view", "local"], [HAND[0]]]);
});

test("whoever listens hears of the line, of a halt, and of what the player does", () => {
  store.halt("waiting");
  store.own.toggle(HAND[0]);
  assert.deepEqual([told, store.table.halted], [["link", "link", "local"], "waiting"]);
});
