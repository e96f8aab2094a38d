// Whatever changes at the table, what was drawn before shows the same as a page that is opened only now.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newPage } from "./page_stub.js";

const IDS = ["panel", "drawer", "tool-discards", "link-banner", "verdict", "status", "piles", "centre"];
IDS.push("closed", "open", "finish", "hand");
const DATA = {
  suits: "suits.svg",
  icons: "icons.svg",
  lobby: "/",
  login: "/login/",
  signup: "",
  practice: "/practice/",
  deal: "/history/0/",
  tournamentOthers: "/tournaments/0/others/",
};
newPage(IDS, DATA);
const { Store } = await import("../../../static/js/table/model/state.js");
const { renderPanel } = await import("../../../static/js/table/view/panel/panel.js");
const { renderBanner } = await import("../../../static/js/table/view/banner.js");
const { renderVerdict } = await import("../../../static/js/table/view/buttons.js");
const { renderCentre } = await import("../../../static/js/table/view/centre.js");
const { renderDiscards } = await import("../../../static/js/table/view/discards.js");

const row = (seat, more) => {
  const cards = { groups: [["3H1", "4H1", "5H1"]], kinds: ["pure"], loose: ["KC1"], counted: { KC1: 10 } };
  return { seat, name: ["asha", "ravi"][seat], points: 10, amount: 0, total: 60, why: "So it is.", ...cards, ...more };
};

/** A table at which everything is there that can be shown. */
function shown() {
  const store = new Store();
  store.setLink("open");
  const table = {
    id: 7,
    title: "Pool",
    stopped: false,
    practice: false,
    money: { digits: 0, sign: "", noun: "chips" },
  };
  Object.assign(table, { prize: 190, entry: 100, point_value: null, family: "pool", max_groups: 6 });
  const seat = { bot: false, connected: true, status: "playing", stack: 0, total: 60, drops_left: 2, cards: 13 };
  const seats = [
    { ...seat, seat: 0, name: "asha" },
    { ...seat, seat: 1, name: "ravi" },
  ];
  const discards = [
    { seat: null, card: "9S1" },
    { seat: 0, card: "2D1" },
    { seat: 1, card: "5C1" },
  ];
  const deal = {
    id: 4,
    cut_joker: "6D1",
    wild_rank: 6,
    closed_count: 60,
    open_top: "5C1",
    discards,
    reshuffled_count: 0,
  };
  Object.assign(deal, { finish_card: null, turn_seat: 0, turn_number: 3 });
  const me = { seat: 0, hand: ["3H1"], groups: [], kinds: [], reasons: [], loose: ["3H1"], points: 3, valid: false };
  Object.assign(me, { moves: ["continue", "leave"], pickable_open: false });
  const result = { deal: 4, winner: 1, rows: [row(0, { outcome: "lost" }), row(1, { outcome: "won" })], next_in: 9 };
  const view = {
    table,
    phase: "result",
    melding_by: null,
    deal,
    seats,
    clock: { kind: "result" },
    prompt: null,
    free_seats: [0],
  };
  store.take({ version: 1, events: [], view: { ...view, result, accounts: null, me, next_deal: null } });
  return store;
}

const over = (store) => {
  store.table.view.phase = "over";
  store.table.view.accounts = [
    { seat: 0, paid: 100, amount: 0, why: null },
    { seat: 1, paid: 100, amount: 190, why: null },
  ];
};
const rejoin = (store) => {
  store.table.view.phase = "rejoin";
  store.table.view.prompt = { kind: "rejoin", seats: [0], price: 100, score: 61 };
};
const split = (store) => {
  store.table.view.phase = "split";
  const line = { drops: 2, excess: 0, share: 95, excess_amount: 0, why: "Equal." };
  const lines = [
    { ...line, seat: 0 },
    { ...line, seat: 1 },
  ];
  store.table.view.prompt = { kind: "split", by: 1, lines, answers: {} };
};
const playing = (store) => {
  store.table.view.phase = "playing";
};

/** A change of one value: `set("table.view.deal.id", 5)`. */
const set = (path, value) => (store) => {
  const names = path.split(".");
  const last = names.pop();
  names.reduce((one, name) => one[name], store)[last] = structuredClone(value);
};

/** What a player reads whose seat is gone. */
const OUT = { returned: 800, unready: true, rows: null, deal: 4, wildRank: 6 };

const actions = { isAsking: () => false };
const drawers = {
  panel: (store) => renderPanel(store, actions),
  "link-banner": (store) => renderBanner(store, () => undefined),
  verdict: renderVerdict,
  centre: renderCentre,
  status: renderCentre,
  drawer: (store) => renderDiscards(store.table),
};

/** What the part of the page shows of the store, drawn for the first time. */
function fresh(part, store) {
  const page = newPage(IDS, DATA);
  drawers[part](store);
  return text(page, part);
}

const PARTS = { centre: ["closed", "open", "finish"] };
const text = (page, part) => (PARTS[part] ?? [part]).map((id) => page(id).outerHTML).join("");

/** [part of the page, what alone changes, the table before, the change]. */
const CHANGES = [
  ["panel", "the match that may be played again", over, set("own.rematch", 9)],
  ["panel", "a share of the prize", over, set("table.view.accounts.0.amount", 40)],
  ["panel", "the prize", over, set("table.view.table.prize", 200)],
  ["panel", "whether it is practice", over, set("table.view.table.practice", true)],
  ["panel", "the phase", null, over],
  ["panel", "a name", over, set("table.view.seats.1.name", "zoya")],
  ["panel", "one's own seat", over, set("table.view.me.seat", 1)],
  ["panel", "points", null, set("table.view.result.rows.0.points", 12)],
  ["panel", "a reason", null, set("table.view.result.rows.0.why", "Otherwise.")],
  ["panel", "a group", null, set("table.view.result.rows.0.kinds", ["set"])],
  ["panel", "the wild rank", null, set("table.view.deal.wild_rank", 3)],
  ["panel", "what one may do", null, set("table.view.me.moves", ["leave"])],
  ["panel", "the line", null, set("table.link", "reconnecting")],
  ["panel", "whether the table stands still", null, set("table.halted", "stopped")],
  ["panel", "the clock", null, set("table.view.clock", null)],
  ["panel", "that the seat is gone", null, set("own.seatedOut", OUT)],
  ["panel", "what came back with it", set("own.seatedOut", OUT), set("own.seatedOut.returned", 900)],
  ["panel", "why it is gone", set("own.seatedOut", OUT), set("own.seatedOut.unready", false)],
  ["panel", "whether it is free", set("own.seatedOut", OUT), set("table.view.free_seats", [])],
  ["panel", "the price of coming back", rejoin, set("table.view.prompt.price", 120)],
  ["panel", "whether one may come back", rejoin, set("table.view.me.moves", ["rejoin"])],
  ["panel", "an answer", split, set("table.view.prompt.answers", { 0: true })],
  ["panel", "whether one may answer", split, set("table.view.me.moves", ["answer_split"])],
  ["link-banner", "the line", null, set("table.link", "reconnecting")],
  ["link-banner", "why the table stands still", set("table.halted", "waiting"), set("table.halted", "stopped")],
  ["verdict", "the count", playing, set("table.view.me.points", 1)],
  ["verdict", "whether the hand is ready", playing, set("table.view.me.valid", true)],
  ["status", "whose turn it is", playing, set("table.view.deal.turn_seat", 1)],
  ["centre", "the cut joker", playing, set("table.view.deal.cut_joker", "7D1")],
  ["centre", "the wild rank", playing, set("table.view.deal.wild_rank", 5)],
  ["centre", "the closed deck", playing, set("table.view.deal.closed_count", 0)],
  ["centre", "the open card", playing, set("table.view.deal.open_top", null)],
  ["centre", "a card below it", playing, set("table.view.deal.discards.1.card", "3D1")],
  ["centre", "the game", playing, set("table.view.table.family", "blind")],
  ["centre", "the finish card", playing, set("table.view.deal.finish_card", "3H1")],
  ["centre", "that one may show undrawn", playing, set("table.view.me.moves", ["finish", "draw"])],
  ["status", "that the deal begins", playing, begins],
  ["drawer", "a discard", playing, set("table.view.deal.discards.2.card", "4C1")],
  ["drawer", "who picked it up", playing, set("table.view.deal.discards.2.picked_by", 0)],
  ["drawer", "the wild rank", playing, set("table.view.deal.wild_rank", 5)],
  ["drawer", "a name", playing, set("table.view.seats.1.name", "zoya")],
  ["drawer", "one's own seat", playing, set("table.view.me.seat", 1)],
  ["drawer", "the game", playing, set("table.view.table.family", "blind")],
];

function begins({ table: { view } }) {
  view.phase = "starting";
  view.clock = { kind: "start", deadline: 0, remaining_ms: 5000 };
}

describe("drawn anew", () => {
  for (const [part, what, before, change] of CHANGES) {
    test(`${part}: ${what}`, () => {
      const store = shown();
      before?.(store);
      const page = newPage(IDS, DATA);
      drawers[part](store);
      const first = text(page, part);
      change(store);
      drawers[part](store);
      assert.notEqual(text(page, part), first);
      assert.equal(text(page, part), fresh(part, store));
    });
  }
});

test("what has not changed is left alone: a button under the finger stays", () => {
  const store = shown();
  const page = newPage(IDS, DATA);
  drawers.panel(store);
  const body = page("panel").querySelector(".panel-body");
  drawers.panel(store);
  assert.equal(page("panel").querySelector(".panel-body"), body);
});

test("the keyboard stays on the result, and on what hides it, when these are drawn anew", () => {
  for (const id of ["shown-result", "hide-result"]) {
    const store = shown();
    const page = newPage(IDS, DATA);
    drawers.panel(store);
    const stood = [];
    HTMLElement.prototype.focus = function () {
      stood.push(this);
    };
    document.activeElement = page(id);
    set("table.view.seats.1.name", "zoya")(store);
    drawers.panel(store);
    assert.notEqual(page(id), document.activeElement);
    assert.deepEqual(stood, [page(id)]);
  }
});

test("the open pile can be pressed where its card may not be drawn: the answer says why", () => {
  const store = shown();
  playing(store);
  Object.assign(store.table.view.me, { moves: ["draw"], pickable_open: false });
  const page = newPage(IDS, DATA);
  drawers.centre(store);
  assert.equal(page("open").disabled, false);
  assert.match(page("open").textContent, /You cannot draw it/);
  assert.ok(!page("open").className.includes("can-take"));
  store.table.view.deal.open_top = null;
  drawers.centre(store);
  assert.equal(page("open").disabled, true);
});

test("no key leads to the cards below the panel, until it is put away", () => {
  const store = shown();
  const page = newPage(IDS, DATA);
  drawers.panel(store);
  assert.equal(page("hand").inert, true);
  page("hide-result").listeners.click();
  drawers.panel(store);
  assert.equal(page("hand").inert, false);
});

test("a button stays in place while others come beside it: no press on it is lost", () => {
  const store = shown();
  over(store);
  const page = newPage(IDS, DATA);
  drawers.panel(store);
  const lobby = page("panel-lobby");
  assert.ok(lobby.className.includes("is-main"));
  store.own.rematch = 9;
  drawers.panel(store);
  assert.equal(page("panel-lobby"), lobby);
  assert.ok(page("panel-rematch"));
  assert.ok(!lobby.className.includes("is-main"));
  assert.deepEqual(
    page("panel")
      .querySelector("footer")
      .children.map((child) => child.id),
    ["panel-lobby", "panel-rematch"],
  );
  store.own.rematch = null;
  drawers.panel(store);
  assert.equal(page("panel-lobby"), lobby);
  assert.equal(page("panel").querySelector("footer").children.length, 1);
});

test("the button that plays the match again asks for that match", () => {
  const store = shown();
  over(store);
  store.own.rematch = 9;
  const page = newPage(IDS, DATA);
  const asked = [];
  renderPanel(store, { ...actions, rematch: () => asked.push("rematch") });
  page("panel-rematch").click();
  assert.deepEqual(asked, ["rematch"]);
});

describe("a deal that others play with the same cards", () => {
  for (const [when, change] of [
    ["with its result", () => undefined],
    ["once it is cancelled", over],
    ["once the seat is gone", set("own.seatedOut", OUT)],
  ]) {
    test(`leads to its series, and to no other deal, ${when}`, () => {
      const store = shown();
      change(store);
      const page = newPage(IDS, { ...DATA, series: "/daily/" });
      renderPanel(store, actions);
      const buttons = page("panel").outerHTML.match(/id="panel-[a-z-]+"/g);
      assert.deepEqual(buttons, ['id="panel-series"']);
    });
  }
});

test("a result waits for who has not continued, whatever window plays the seat, and only then for the next deal", () => {
  const told = (link, moves) => {
    const store = shown();
    set("table.view.me.moves", moves)(store);
    set("table.link", link)(store);
    const page = newPage(IDS, DATA);
    drawers.panel(store);
    return page("panel-continue").textContent;
  };
  for (const link of ["open", "replaced", "reconnecting"]) {
    assert.equal(told(link, ["continue", "leave"]), "Continue");
    assert.equal(told(link, ["leave"]), "Waiting for the next deal");
  }
});

test("a table that staff close says so, and of a deal that is settled nothing else than what it cost", () => {
  const said = (pointValue) => {
    const store = shown();
    store.table.view.phase = "over";
    store.table.view.table.point_value = pointValue;
    store.table.view.me = null;
    return fresh("panel", store);
  };
  assert.match(said(5), /This table is closed.*Every stack is in its player's balance again\./);
  assert.doesNotMatch(said(5), /cancelled|went back|watching/);
  assert.match(said(null), /The match is cancelled.*What everybody paid for it went back\./);
});

test("at a table that all have left, nobody is told when the next deal comes", () => {
  const said = (status) => {
    const store = shown();
    store.table.view.me = null;
    for (const seat of store.table.view.seats) seat.status = status;
    return fresh("panel", store);
  };
  assert.match(said("waiting"), /Next deal in/);
  assert.doesNotMatch(said("empty"), /Next deal in/);
});

test("nobody with too few chips for a deal is told that to continue keeps their seat", () => {
  const said = (stack, moves) => {
    const store = shown();
    Object.assign(store.table.view.table, { point_value: 1, minimum: 80 });
    store.table.view.seats[0].stack = stack;
    store.table.view.me.moves = moves;
    return fresh("panel", store);
  };
  const short = /On the table: 60 chips. A deal needs 80 chips\./;
  assert.match(said(80, ["continue", "add_chips"]), /Continue keeps your seat for the next deal\./);
  for (const moves of [
    ["continue", "add_chips"],
    ["leave", "add_chips"],
  ]) {
    assert.match(said(60, moves), short);
    assert.doesNotMatch(said(60, moves), /keeps your seat/);
  }
  assert.doesNotMatch(said(60, ["continue"]), short, "in a tournament nobody adds chips");
});

test("at the last table of a tournament nobody is promised another, at an earlier one everybody is", () => {
  const said = (round) => {
    const store = shown();
    store.table.view.phase = "over";
    store.table.view.table.tournament = { id: 3, title: "Quick six", round, rounds: 2 };
    return fresh("panel", store);
  };
  assert.match(said(1), /You are called when your next one opens/);
  assert.match(said(null), /You are called when your next one opens/, "an arena has no rounds");
  assert.match(said(2), /This table is done, and the tournament with it\./);
  assert.doesNotMatch(said(2), /You are called/);
});

test("a table whose tournament is paused says so, and begins nothing", () => {
  const tournament = { id: 3, paused: true, round: 1, rounds: 2 };
  const store = shown();
  store.table.view.table.tournament = tournament;
  store.table.view.clock = null;
  assert.match(fresh("panel", store), /Our staff have paused the tournament/);
  const before = shown();
  before.table.view.phase = "starting";
  before.table.view.result = null;
  before.table.view.clock = null;
  before.table.view.table.tournament = tournament;
  assert.match(fresh("status", before), /Our staff have paused the tournament/);
});
