// What just happened: flights, sounds and words. Nothing here changes what is shown as the state of the game.

import { byId, placeOf, setText } from "../dom.js";
import { play } from "../sounds.js";
import { fly } from "./animate.js";
import { resultTold } from "./panel/told.js";
import { seatNode } from "./seats.js";

const small = (node) => {
  const place = placeOf(node);
  return { x: place.x + place.w / 2 - 15, y: place.y + place.h / 2 - 21, w: 30 };
};

const pilePlace = (id) => {
  const place = placeOf(byId(id));
  return { x: place.x, y: place.y, w: place.w };
};

/** Before the new view is drawn: where cards come from, so that they can glide from there. */
export function beforeRender(store, hand) {
  const mine = store.me?.seat;
  for (const event of store.events) {
    if (event.type === "card_drawn" && event.seat === mine && event.card)
      hand.origins.set(event.card, pilePlace(event.pile));
    if (event.type === "cards_dealt" && store.me) hand.dealing = true;
  }
}

/** After it: flights over the table, sounds, the log line and the live region. */
export function afterRender(store, hand, before) {
  const mine = store.me?.seat ?? null;
  const wildRank = store.view.deal?.wild_rank ?? null;
  for (const event of store.events) flight(event, { store, mine, wildRank, before });
  hand.dealing = false;
  hear(store, mine);
  tell(store);
}

function flight(event, { store, mine, wildRank, before }) {
  if (event.type === "card_drawn" && event.seat !== mine) {
    fly(event.card ?? null, pilePlace(event.pile), small(seatNode(store, event.seat)), { wildRank });
  } else if (event.type === "card_discarded" || (event.type === "finish_placed" && event.card !== null)) {
    const pile = event.type === "finish_placed" ? "finish" : "open";
    const from = event.seat === mine ? (before.places.get(event.card) ?? null) : small(seatNode(store, event.seat));
    fly(event.card ?? null, from, pilePlace(pile), { wildRank, ms: 280 });
  } else if (event.type === "cards_dealt") dealt(store, mine);
}

/** A few backs to each player stand for the thirteen. */
function dealt(store, mine) {
  if (byId("piles").hidden) return;
  const from = pilePlace("closed");
  for (let round = 0; round < 4; round += 1) {
    store.view.seats
      .filter((seat) => seat.cards && seat.seat !== mine)
      .forEach((seat, place) => {
        fly(null, from, small(seatNode(store, seat.seat)), { delay: round * 150 + place * 35 });
      });
  }
}

const HEARD = {
  card_drawn: "card",
  card_discarded: "card",
  finish_placed: "card",
  cards_dealt: "deal",
  show_refused: "over",
  player_dropped: "card",
};

function hear(store, mine) {
  const names = new Set(store.events.map((event) => HEARD[event.type]).filter(Boolean));
  for (const event of store.events) {
    if (event.type === "turn_began" && event.seat === mine) names.add("turn");
    if (event.type === "extra_time_began" && event.seat === mine) names.add("extra");
    if (event.type === "deal_ended") names.add(event.winner === mine ? "won" : "over");
  }
  if (names.has("deal")) names.delete("card");
  for (const name of names) play(name);
}

function tell(store) {
  const lines = store.events.map((event) => event.text).filter(Boolean);
  if (store.events.some((event) => ["deal_ended", "match_ended"].includes(event.type))) lines.push(resultTold(store));
  if (lines.length === 0) return;
  setText(byId("live"), lines.join(" "));
  const shown = store.events
    .filter((event) => event.type !== "turn_began")
    .map((event) => event.text)
    .filter(Boolean);
  if (shown.length > 0) setText(byId("log"), shown.at(-1));
}
