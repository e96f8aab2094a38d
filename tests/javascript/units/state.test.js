import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { moved } from "../../../static/js/table/model/arrangement.js";
import { Store } from "../../../static/js/table/model/state.js";

const HAND = ["3H1", "4H1", "5H1", "KC1"];

function me(more = {}) {
  const groups = more.groups ?? [];
  const hand = more.hand ?? HAND;
  const moves = ["arrange", "draw", "leave"];
  return { seat: 0, hand, groups, loose: hand.filter((card) => !groups.flat().includes(card)), moves, ...more };
}

function view(more = {}) {
  const seats = [
    { seat: 0, name: "Asha", status: "playing" },
    { seat: 1, name: "Ravi", status: "playing" },
  ];
  const table = { id: 7, stopped: false };
  return { table, phase: "playing", deal: { id: 1 }, seats, me: me(), clock: null, melding_by: null, ...more };
}

const frame = (version, more = {}, events = []) => ({ type: "state", version, events, view: view(more) });
const lying = () => [store.arrangement.groups.map((group) => group.cards), store.arrangement.loose];

let store;
beforeEach(() => {
  store = new Store();
  store.setLink("open");
  store.take(frame(5));
});

describe("frames", () => {
  test("an older one than is shown is dropped, the same one again is not", () => {
    store.take(frame(4, { phase: "over" }));
    assert.equal(store.view.phase, "playing");
    store.take(frame(5, { phase: "result" }));
    assert.equal(store.view.phase, "result");
  });

  test("the first after a reconnect counts, whatever its number", () => {
    store.setLink("reconnecting");
    store.setLink("open");
    store.take(frame(3, { phase: "result" }));
    assert.deepEqual([store.version, store.view.phase], [3, "result"]);
    store.take(frame(2, { phase: "over" }));
    assert.equal(store.version, 3);
  });

  test("what happened is told once, and not to who has just come", () => {
    const happened = [{ type: "card_drawn", seat: 1 }];
    store.take(frame(6, {}, happened));
    assert.deepEqual(store.events, happened);
    store.take(frame(6, {}, happened));
    assert.deepEqual(store.events, []);
    const fresh = new Store();
    fresh.take(frame(6, {}, happened));
    assert.deepEqual(fresh.events, []);
  });
});

describe("what can be done", () => {
  test("is in the view's moves, on an open line, at a table that goes on", () => {
    assert.equal(store.can("draw"), true);
    assert.equal(store.can("discard"), false);
    store.setLink("reconnecting");
    assert.equal(store.can("draw"), false);
  });

  test("is nothing at a stopped table until a frame says that it goes on", () => {
    store.take(frame(6, { table: { id: 7, stopped: true } }));
    assert.deepEqual([store.halted, store.can("draw")], ["stopped", false]);
    store.take(frame(7));
    assert.deepEqual([store.halted, store.can("draw")], ["", true]);
  });

  test("is nothing while the result waits: the same version again changes nothing, the next one does", () => {
    store.halt("waiting");
    store.take(frame(5));
    assert.equal(store.halted, "waiting");
    store.take(frame(6));
    assert.equal(store.halted, "");
  });

  test("is nothing for who only watches", () => {
    store.take(frame(6, { me: null }));
    assert.equal(store.can("draw"), false);
  });

  test("to show undrawn takes both moves", () => {
    assert.equal(store.showsUndrawn, false);
    store.take(frame(6, { me: me({ moves: ["draw", "finish"] }) }));
    assert.equal(store.showsUndrawn, true);
  });
});

describe("an arrangement that the server has not answered", () => {
  const together = () => store.rearrange(moved(store.arrangement, ["3H1", "4H1"], { group: "new" }));

  test("stays as the player laid it while views come, with drawn cards loose", () => {
    together();
    store.take(frame(6, { me: me({ hand: [...HAND, "JR1"] }) }));
    assert.deepEqual(lying(), [[["3H1", "4H1"]], ["5H1", "KC1", "JR1"]]);
  });

  test("is the server's again once the view has it", () => {
    together();
    store.arrangementAnswered(store.unsettled, { ok: true, version: 7 });
    store.take(frame(6));
    assert.deepEqual(lying()[0], [["3H1", "4H1"]], "the view of 6 does not know it yet");
    store.take(frame(7, { me: me({ groups: [["4H1", "3H1"]] }) }));
    assert.deepEqual(lying()[0], [["4H1", "3H1"]]);
  });

  test("goes back where the server refuses it", () => {
    together();
    store.arrangementAnswered(store.unsettled, { ok: false, version: 5 });
    const [groups, loose] = lying();
    assert.deepEqual([groups, loose.sort()], [[], [...HAND].sort()]);
  });

  test("is not settled by the answer to an earlier one", () => {
    together();
    const mark = store.unsettled;
    store.rearrange(moved(store.arrangement, ["5H1"], { group: 0 }));
    store.arrangementAnswered(mark, { ok: true, version: 5 });
    store.take(frame(6, { me: me({ groups: [["3H1", "4H1"]] }) }));
    assert.deepEqual(lying()[0], [["3H1", "4H1", "5H1"]]);
  });

  test("keeps those waiting who need a verdict on it", async () => {
    let settled = false;
    together();
    store.settled().then(() => {
      settled = true;
    });
    await Promise.resolve();
    assert.equal(settled, false);
    store.arrangementAnswered(store.unsettled, { ok: true, version: 5 });
    await Promise.resolve();
    assert.equal(settled, true);
  });

  test("is forgotten with its deal", () => {
    together();
    store.take(frame(6, { deal: { id: 2 }, me: me({ hand: ["AS1", "2S1"] }) }));
    assert.deepEqual(lying(), [[], ["AS1", "2S1"]]);
    assert.equal(store.unsettled, 0);
  });
});

describe("selected cards", () => {
  test("stay selected while they are held", () => {
    store.select(["3H1", "KC1"]);
    store.take(frame(6, { me: me({ hand: ["3H1", "4H1", "5H1"] }) }));
    assert.deepEqual([...store.selected], ["3H1"]);
  });

  test("are none for who has no seat any more", () => {
    store.select(["3H1"]);
    store.take(frame(6, { me: null }));
    assert.equal(store.selected.size, 0);
  });

  test("a card on its way to a pile is that until the hand is without it", () => {
    store.pendingCard = { card: "KC1", pile: "open" };
    store.take(frame(6));
    assert.notEqual(store.pendingCard, null);
    store.take(frame(7, { me: me({ hand: ["3H1", "4H1", "5H1"] }) }));
    assert.equal(store.pendingCard, null);
  });
});

describe("melding", () => {
  const groups = [["3H1", "4H1", "5H1"]];
  const melding = { phase: "melding", me: me({ groups, moves: ["arrange", "submit"] }) };
  const boxed = () => store.arrangement.groups.map((group) => group.melded);

  test("begins with every group in its box, and ends with none", () => {
    store.take(frame(6, { me: me({ groups }) }));
    assert.deepEqual(boxed(), [false]);
    store.take(frame(7, melding));
    assert.deepEqual(boxed(), [true]);
    store.take(frame(8, { phase: "result", me: me({ groups, moves: ["continue"] }) }));
    assert.deepEqual(boxed(), [false]);
  });

  test("leaves out of its box what the player has taken back", () => {
    store.take(frame(6, melding));
    store.rearrange({ ...store.arrangement, groups: [{ cards: groups[0], melded: false }] }, { send: false });
    store.take(frame(7, melding));
    assert.deepEqual(boxed(), [false]);
  });
});

describe("a lost seat", () => {
  const gone = [{ type: "seat_left", seat: 0, returned: 250 }];

  test("is told of with what came back and the result that was read, until the player goes on", () => {
    const rows = [{ seat: 0, name: "Asha", points: 80 }];
    store.take(frame(6, { phase: "result", deal: { id: 4, wild_rank: 6 }, result: { deal: 4, rows } }));
    store.take(frame(7, { me: null }, gone));
    const result = { rows: [{ ...rows[0], mine: true }], deal: 4, wildRank: 6 };
    assert.deepEqual(store.seatedOut, { returned: 250, unready: true, ...result });
    store.take(frame(8, { me: null }));
    assert.notEqual(store.seatedOut, null);
    store.lookOn();
    assert.equal(store.seatedOut, null);
  });

  test("is not told of to who gives it up", () => {
    store.leaving = true;
    store.take(frame(6, { me: null }, gone));
    assert.equal(store.seatedOut, null);
  });

  test("is not told of to who never had one", () => {
    const watcher = new Store();
    watcher.take(frame(6, { me: null }));
    watcher.take(frame(7, { me: null }, gone));
    assert.equal(watcher.seatedOut, null);
  });
});

test("a row of a result is one's own only if the seat was one's own then", () => {
  assert.equal(store.isMine({ seat: 0, name: "Asha" }), true);
  assert.equal(store.isMine({ seat: 0, name: "Mina" }), false);
  assert.equal(store.isMine({ seat: 1, name: "Ravi" }), false);
});

test("whether the player is awaited is known from the view", () => {
  assert.equal(store.awaited, false);
  store.take(frame(6, { phase: "playing", deal: { turn_seat: 0 } }));
  assert.equal(store.awaited, true);
  store.take(frame(7, { phase: "playing", deal: { turn_seat: 1 } }));
  assert.equal(store.awaited, false);
});
