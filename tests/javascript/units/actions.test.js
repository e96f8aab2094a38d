import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Actions } from "../../../static/js/table/input/actions.js";
import { Store } from "../../../static/js/table/model/state.js";
import { Commands } from "../../../static/js/table/net/commands.js";
import { statusText } from "../../../static/js/table/view/centre.js";

// The only thing of a window that moves need.
globalThis.window = globalThis;

const HAND = ["3H1", "4H1", "5H1", "KC1"];

function view(more = {}) {
  const me = { seat: 0, hand: HAND, groups: [], loose: HAND, kinds: [], reasons: [], pickable_open: true };
  me.moves = ["arrange", "draw", "sort", "discard", "submit"];
  const deal = { id: 1, turn_number: 3, open_top: "9S1" };
  return { table: { stopped: false }, phase: "playing", deal, seats: [], clock: null, melding_by: null, me, ...more };
}

let sent;
let store;
let commands;
let actions;
beforeEach(() => {
  // What an earlier test moved is sent a moment later, and is none of this one's.
  const own = [];
  sent = own;
  store = new Store();
  store.setLink("open");
  store.take({ version: 5, events: [], view: view() });
  commands = new Commands({ send: (frame) => own.push(frame) }, () => store.table.version);
  actions = new Actions(store, commands, { order: () => HAND, focused: null });
});

const types = () => sent.map(({ type }) => type);
const answer = (place, more = {}) => commands.answered({ type: "ack", id: sent[place].id, version: 6, ...more });
/** Lets everything run that waits for nothing but its turn. */
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("what is arranged", () => {
  test("can be undone step by step, with what was drawn since, and only within its deal", () => {
    const lying = () => store.own.arrangement.groups.map((group) => group.cards);
    assert.equal(actions.canUndo, false);
    actions.move(["3H1", "4H1"], { group: "new" });
    actions.move(["5H1"], { group: 0 });
    assert.deepEqual(lying(), [["3H1", "4H1", "5H1"]]);
    const drawn = view();
    drawn.me = { ...drawn.me, hand: [...HAND, "9S1"], loose: [...HAND, "9S1"] };
    store.take({ version: 6, events: [], view: drawn });
    actions.undo();
    assert.deepEqual(lying(), [["3H1", "4H1"]]);
    assert.ok(store.own.arrangement.loose.includes("9S1"));
    actions.undo();
    assert.deepEqual(lying(), []);
    assert.equal(actions.canUndo, false);
    actions.move(["3H1", "4H1"], { group: "new" });
    store.take({ version: 7, events: [], view: { ...view(), deal: { id: 2, turn_number: 1 } } });
    assert.equal(actions.canUndo, false);
  });

  test("is sent before a card is discarded: it counts if time is over", async () => {
    actions.move(["3H1", "4H1"], { group: "new" });
    const done = actions.discard("KC1");
    assert.deepEqual(types(), ["arrange"]);
    answer(0);
    await soon();
    assert.deepEqual(types(), ["arrange", "discard"]);
    answer(1);
    await done;
  });

  test("is sent before a sort, and does not keep verdicts waiting after it", async () => {
    actions.move(["3H1", "4H1"], { group: "new" });
    const done = actions.sort();
    await soon();
    assert.deepEqual(types(), ["arrange"]);
    answer(0);
    await soon();
    answer(1);
    await done;
    store.take({ version: 6, events: [], view: view() });
    await actions.judged();
    assert.equal(store.own.unsettled, 0);
  });

  test("a sort lets go what was selected before it, and nothing that is selected until it is answered", async () => {
    store.own.select(["3H1"]);
    const done = actions.sort();
    await soon();
    assert.deepEqual([...store.own.selected], []);
    store.own.toggle("KC1");
    answer(0);
    await done;
    assert.deepEqual([...store.own.selected], ["KC1"]);
  });

  test("is sent once, however often cards are moved meanwhile", async () => {
    actions.move(["3H1"], { group: "new" });
    actions.move(["4H1"], { group: 0 });
    const flushed = actions.flush();
    answer(0);
    await flushed;
    assert.deepEqual(
      sent.map(({ groups }) => groups),
      [[["3H1", "4H1"]]],
    );
  });
});

describe("a stale move", () => {
  const stale = { type: "error", code: "stale" };

  test("is asked once more where it means the same", async () => {
    const done = actions.ask("draw", { pile: "open" }, () => true);
    answer(0, stale);
    await soon();
    assert.deepEqual(types(), ["draw", "draw"]);
    answer(1);
    assert.equal(await done, true);
  });

  test("is let go where another card lies on the pile now", async () => {
    let asked = null;
    actions.ask = async (_type, _fields, again) => {
      store.take({ version: 6, events: [], view: view({ deal: { id: 1, turn_number: 3, open_top: "2D1" } }) });
      asked = again();
    };
    actions.draw("open");
    await soon();
    assert.equal(asked, false);
  });

  test("is let go once the turn has passed", async () => {
    let asked = null;
    actions.ask = async (_type, _fields, again) => {
      store.take({ version: 6, events: [], view: view({ deal: { id: 1, turn_number: 4, open_top: "9S1" } }) });
      asked = again();
    };
    actions.draw("closed");
    await soon();
    assert.equal(asked, false);
  });
});

test("a joker on the open pile is asked for as well: the server says why it stays there", () => {
  const { me } = store.table.view;
  store.take({ version: 6, events: [], view: view({ me: { ...me, pickable_open: false } }) });
  actions.draw("open");
  assert.deepEqual([sent.at(-1).type, sent.at(-1).pile], ["draw", "open"]);
});

test("the same is not asked twice while it waits for its answer", async () => {
  const first = actions.ask("draw", { pile: "closed" });
  assert.equal(await actions.ask("draw", { pile: "closed" }), false);
  assert.equal(actions.isAsking("draw"), true);
  answer(0);
  await first;
  assert.deepEqual(types(), ["draw"]);
  assert.equal(actions.isAsking("draw"), false);
});

test("a group chosen whole is laid loose, other cards become a group in reading order", () => {
  store.own.select(["5H1", "3H1", "4H1"]);
  actions.group();
  assert.deepEqual(store.own.arrangement.groups[0].cards, ["3H1", "4H1", "5H1"]);
  store.own.select(["3H1", "4H1", "5H1"]);
  actions.group();
  assert.deepEqual(store.own.arrangement.groups, []);
});

test("a press whose answer takes long is told to be on its way, once sent, until the answer comes", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  actions.draw("closed");
  actions.draw("closed");
  assert.equal(store.own.onItsWay, false, "what is answered at once does not flicker");
  context.mock.timers.tick(500);
  assert.deepEqual([store.own.onItsWay, statusText(store)[0], types()], [true, "On its way…", ["draw"]]);
  answer(0);
  await soon();
  assert.equal(store.own.onItsWay, false);
  context.mock.timers.tick(500);
  assert.equal(store.own.onItsWay, false, "nor afterwards");
});
