import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { moved } from "../../../static/js/table/model/arrangement.js";
import { Interface } from "../../../static/js/table/model/interface.js";
import { Table } from "../../../static/js/table/model/table.js";
import { frame, HAND, me } from "./table_frames.js";

let table;
let own;
let changes;
beforeEach(() => {
  changes = 0;
  table = new Table();
  own = new Interface(() => {
    changes += 1;
  });
  table.setLink("open");
  take(frame(5));
});

function take(next) {
  const before = table.view;
  table.take(next);
  own.follow(table, before);
}

const lying = () => [own.arrangement.groups.map((group) => group.cards), own.arrangement.loose];

describe("an arrangement that the server has not answered", () => {
  const together = () => own.rearrange(moved(own.arrangement, ["3H1", "4H1"], { group: "new" }));

  test("stays as the player laid it while views come, with drawn cards loose", () => {
    together();
    take(frame(6, { me: me({ hand: [...HAND, "JR1"] }) }));
    assert.deepEqual(lying(), [[["3H1", "4H1"]], ["5H1", "KC1", "JR1"]]);
  });

  test("is the server's again once the view has it", () => {
    together();
    own.arrangementAnswered(own.unsettled, { ok: true, version: 7 }, table);
    take(frame(6));
    assert.deepEqual(lying()[0], [["3H1", "4H1"]], "the view of 6 does not know it yet");
    take(frame(7, { me: me({ groups: [["4H1", "3H1"]] }) }));
    assert.deepEqual(lying()[0], [["4H1", "3H1"]]);
  });

  test("goes back where the server refuses it", () => {
    together();
    own.arrangementAnswered(own.unsettled, { ok: false, version: 5 }, table);
    const [groups, loose] = lying();
    assert.deepEqual([groups, loose.sort()], [[], [...HAND].sort()]);
  });

  test("is not settled by the answer to an earlier one", () => {
    together();
    const mark = own.unsettled;
    own.rearrange(moved(own.arrangement, ["5H1"], { group: 0 }));
    own.arrangementAnswered(mark, { ok: true, version: 5 }, table);
    take(frame(6, { me: me({ groups: [["3H1", "4H1"]] }) }));
    assert.deepEqual(lying()[0], [["3H1", "4H1", "5H1"]]);
  });

  test("keeps those waiting who need a verdict on it", async () => {
    let settled = false;
    together();
    own.settled().then(() => {
      settled = true;
    });
    await Promise.resolve();
    assert.equal(settled, false);
    own.arrangementAnswered(own.unsettled, { ok: true, version: 5 }, table);
    await Promise.resolve();
    assert.equal(settled, true);
  });

  test("is forgotten with its deal", () => {
    together();
    take(frame(6, { deal: { id: 2 }, me: me({ hand: ["AS1", "2S1"] }) }));
    assert.deepEqual(lying(), [[], ["AS1", "2S1"]]);
    assert.equal(own.unsettled, 0);
  });
});

describe("selected cards", () => {
  test("stay selected while they are held", () => {
    own.select(["3H1", "KC1"]);
    take(frame(6, { me: me({ hand: ["3H1", "4H1", "5H1"] }) }));
    assert.deepEqual([...own.selected], ["3H1"]);
  });

  test("are none for who has no seat any more", () => {
    own.select(["3H1"]);
    take(frame(6, { me: null }));
    assert.equal(own.selected.size, 0);
  });

  test("a card on its way to a pile is that until the hand is without it", () => {
    own.pendingCard = { card: "KC1", pile: "open" };
    take(frame(6));
    assert.notEqual(own.pendingCard, null);
    take(frame(7, { me: me({ hand: ["3H1", "4H1", "5H1"] }) }));
    assert.equal(own.pendingCard, null);
  });
});

describe("melding", () => {
  const groups = [["3H1", "4H1", "5H1"]];
  const melding = { phase: "melding", me: me({ groups, moves: ["arrange", "submit"] }) };
  const boxed = () => own.arrangement.groups.map((group) => group.melded);

  test("begins with every group in its box, and ends with none", () => {
    take(frame(6, { me: me({ groups }) }));
    assert.deepEqual(boxed(), [false]);
    take(frame(7, melding));
    assert.deepEqual(boxed(), [true]);
    take(frame(8, { phase: "result", me: me({ groups, moves: ["continue"] }) }));
    assert.deepEqual(boxed(), [false]);
  });

  test("leaves out of its box what the player has taken back", () => {
    take(frame(6, melding));
    own.rearrange({ ...own.arrangement, groups: [{ cards: groups[0], melded: false }] }, { send: false });
    take(frame(7, melding));
    assert.deepEqual(boxed(), [false]);
  });
});

describe("a lost seat", () => {
  const gone = [{ type: "seat_left", seat: 0, returned: 250 }];

  test("is told of with what came back and the result that was read, until the player goes on", () => {
    const rows = [{ seat: 0, name: "Asha", points: 80 }];
    const unready = me({ moves: ["continue", "leave"] });
    take(frame(6, { phase: "result", deal: { id: 4, wild_rank: 6 }, result: { deal: 4, rows }, me: unready }));
    take(frame(7, { me: null }, gone));
    const result = { rows: [{ ...rows[0], mine: true }], deal: 4, wildRank: 6 };
    assert.deepEqual(own.seatedOut, { returned: 250, unready: true, ...result });
    take(frame(8, { me: null }));
    assert.notEqual(own.seatedOut, null);
    own.set({ seatedOut: null });
    assert.equal(own.seatedOut, null);
  });

  test("is not told of as lost for not continuing to who has continued", () => {
    take(frame(6, { phase: "result", me: me({ moves: ["leave"] }) }));
    take(frame(7, { me: null }, gone));
    assert.deepEqual([own.seatedOut.unready, own.seatedOut.returned], [false, 250]);
  });

  test("is not told of as lost for not continuing where the table is closed", () => {
    take(frame(6, { phase: "result" }));
    take(frame(7, { me: null, phase: "over" }, [{ type: "match_cancelled" }, ...gone]));
    assert.equal(own.seatedOut, null);
  });

  test("is not told of to who gives it up", () => {
    own.leaving = true;
    take(frame(6, { me: null }, gone));
    assert.equal(own.seatedOut, null);
  });

  test("is not told of to who never had one", () => {
    own = new Interface(() => undefined);
    take(frame(6, { me: null }));
    take(frame(7, { me: null }, gone));
    assert.equal(own.seatedOut, null);
  });
});

describe("a hint", () => {
  const hinted = me({ hint: "Draw.", hint_cards: ["3H1"], hint_groups: [] });

  test("is there while it is wanted, and the view is about the cards as they lie", () => {
    take(frame(6, { me: hinted }));
    assert.deepEqual(own.hint(table), { text: "Draw.", why: "", cards: ["3H1"], shows: false });
    own.rearrange(own.arrangement);
    assert.equal(own.hint(table), null);
    own.arrangementAnswered(1, { ok: true, version: 6 }, table);
    assert.notEqual(own.hint(table), null);
    own.set({ wantsHints: false });
    assert.equal(own.hint(table), null);
    assert.equal(changes, 3);
  });
});
