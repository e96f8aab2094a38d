// @ts-check
// What just happened: flights, sounds and words. Nothing here changes what is shown as the state of the game.

import { byId, setText, speak } from "../../shared/dom.js";
import { play } from "../../shared/sounds.js";
import { groupName } from "../../shared/words.js";
import { verdictOn } from "../model/arrangement.js";
import { placeOf } from "../place.js";
import { fly } from "./animate.js";
import { spokenResult } from "./panel/outcome.js";
import { seatNode } from "./seats.js";

/** @import { Shown } from "../model/state.js" */
/** @import { ShownTable } from "../model/table.js" */
/** @import { TableEvent } from "../../shared/types.js" */
/** @import { Place } from "../model/layout.js" */
/** @import { Hand } from "./hand.js" */
/** @typedef {{places: Map<string, Place>}} Before */

/** @type {(node: Element) => Place} */
const small = (node) => {
  const place = placeOf(node);
  return { x: place.x + place.w / 2 - 15, y: place.y + place.h / 2 - 21, w: 30 };
};

/** @type {(id: string) => Place} */
const pilePlace = (id) => {
  const place = placeOf(byId(id));
  return { x: place.x, y: place.y, w: place.w };
};

/**
 * Before the new view is drawn: where cards come from, so that they can glide from there.
 *
 * @param {ShownTable} table
 * @param {Hand} hand
 */
export function beforeRender(table, hand) {
  const mine = table.me?.seat;
  for (const event of table.events) {
    if (event.type === "card_drawn" && event.seat === mine && event.card)
      hand.origins.set(event.card, pilePlace(event.pile ?? "closed"));
    if (event.type === "cards_dealt" && table.me) hand.dealing = true;
  }
}

/**
 * After it: flights over the table, sounds, the log line and the live region.
 *
 * @param {Shown} store
 * @param {Hand} hand
 * @param {Before} before
 */
export function afterRender(store, hand, before) {
  const { table } = store;
  const mine = table.me?.seat ?? null;
  const wildRank = table.view.deal?.wild_rank ?? null;
  for (const event of table.events) flight(event, { table, mine, wildRank, before });
  hand.dealing = false;
  hear(table, mine);
  tell(store);
}

/**
 * @typedef {{table: ShownTable, mine: number | null, wildRank: number | null, before: Before}} Scene
 * @param {TableEvent} event
 * @param {Scene} scene
 */
function flight(event, { table, mine, wildRank, before }) {
  if (event.type === "card_drawn" && event.seat !== mine) {
    fly(event.card ?? null, pilePlace(event.pile ?? "closed"), seatPlace(table, event.seat), { wildRank });
  } else if (event.type === "card_discarded" || (event.type === "finish_placed" && event.card !== null)) {
    const pile = event.type === "finish_placed" ? "finish" : "open";
    const own = event.seat === mine && event.card;
    const from = own ? (before.places.get(own) ?? null) : seatPlace(table, event.seat);
    fly(event.card ?? null, from, pilePlace(pile), { wildRank, ms: 280 });
  } else if (event.type === "cards_dealt") dealt(table, mine);
}

/** @type {(table: ShownTable, seat: number | undefined) => Place} */
const seatPlace = (table, seat) => small(seatNode(table, seat));

/**
 * A few backs to each player stand for the thirteen.
 *
 * @param {ShownTable} table
 * @param {number | null} mine
 */
function dealt(table, mine) {
  if (byId("piles").hidden) return;
  const from = pilePlace("closed");
  for (let round = 0; round < 4; round += 1) {
    const others = table.view.seats.filter((seat) => seat.cards && seat.seat !== mine);
    for (const [place, { seat }] of others.entries()) {
      fly(null, from, seatPlace(table, seat), { delay: round * 150 + place * 35 });
    }
  }
}

/** @typedef {Parameters<typeof play>[0]} Sound */

/** @type {Partial<Record<TableEvent["type"], Sound>>} */
const HEARD = {
  card_drawn: "card",
  card_discarded: "card",
  finish_placed: "card",
  cards_dealt: "deal",
  show_refused: "over",
  starting_began: "start",
  player_dropped: "card",
};

/**
 * @param {ShownTable} table
 * @param {number | null} mine
 */
function hear(table, mine) {
  /** @type {Set<Sound>} */
  const names = new Set(table.events.flatMap((event) => HEARD[event.type] ?? []));
  for (const event of table.events) {
    if (event.type === "turn_began" && event.seat === mine) names.add("turn");
    if (event.type === "extra_time_began" && event.seat === mine) names.add("extra");
    if (event.type === "deal_ended") names.add(event.winner === mine ? "won" : "over");
  }
  if (names.has("deal")) names.delete("card");
  for (const name of names) play(name);
}

/** @param {Shown} store */
function tell(store) {
  const { table } = store;
  const lines = table.events.flatMap((event) => event.text || []);
  if (table.events.some((event) => ["deal_ended", "match_ended"].includes(event.type))) lines.push(spokenResult(store));
  if (lines.length === 0) return;
  speak(byId("live"), lines.join(" "));
  const last = table.events.findLast((event) => event.type !== "turn_began" && event.text);
  if (last?.text) setText(byId("log"), last.text);
}

/** The own groups as they were last judged, each by its cards; null before the first time. @type {Set<string> | null} */
let judged = null;

/**
 * Says to those who do not see it what own groups are that have changed; what the hand counts is spoken beside it.
 *
 * @param {Pick<Shown, "own" | "table">} store
 */
export function tellGroups({ own, table }) {
  if (own.unsettled) return;
  const groups = own.arrangement.groups.map(({ cards }, place) => ({
    of: [...cards].sort().join(),
    name: groupName(place, verdictOn(table.me, cards)),
  }));
  const changed = judged ? groups.filter(({ of }) => !judged?.has(of)) : [];
  judged = new Set(groups.map(({ of }) => of));
  if (changed.length > 0) speak(byId("live"), changed.map(({ name }) => name).join(". "));
}
