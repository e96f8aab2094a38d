// The middle of the table: status line, closed deck with the cut joker under it, open pile, finish slot.

import { byId, el, setText } from "../dom.js";
import { cardName } from "../model/cards.js";
import { money, plural } from "../words.js";
import { cardBack, cardFace } from "./cards.js";

const NO_PILES = new Set(["waiting", "starting", "over"]);

export function renderCentre(store) {
  const { view } = store;
  const deal = view.deal;
  const piles = Boolean(deal?.cut_joker) && !NO_PILES.has(view.phase);
  const melding = view.phase === "melding" && store.can("submit");
  document.body.classList.toggle("no-piles", !piles);
  byId("centre").hidden = melding;
  byId("piles").hidden = !piles;
  status(store);
  if (!piles) return;
  closed(store, deal);
  open(store, deal);
  finish(store, deal);
}

function status(store) {
  const node = byId("status");
  const [text, mine] = statusText(store);
  node.classList.toggle("is-mine", mine);
  if (store.view.phase === "starting" && !store.stopped) {
    if (!node.querySelector(".waiting-count"))
      node.replaceChildren(
        el("span", { text: "The deal begins in" }),
        el("br"),
        el("span", { class: "waiting-count", "data-clock-text": "" }),
      );
    return;
  }
  setText(node, text);
}

/** [what the line says, whether it calls on the player]. */
export function statusText(store) {
  const { view, me } = store;
  if (store.stopped) return [store.halted === "waiting" ? "The table waits" : "The table is stopped", false];
  if (view.phase === "waiting") return [waitingText(view), false];
  if (view.phase === "playing") return playingText(store);
  if (view.phase === "melding") return [meldingText(store), false];
  if (view.phase === "rejoin") return ["Waiting for a player to decide on a rejoin", false];
  if (view.phase === "split") return ["Waiting for the answers to the split", false];
  return [me ? "" : "You are watching", false];
}

function waitingText(view) {
  const taken = view.seats.filter((seat) => seat.name).length;
  const more = taken < 2 ? "One more player and the deal can begin" : "Waiting for players";
  const invite = view.me?.private_code ? ` Your friends join with the code ${view.me.private_code}.` : "";
  return `${more}. ${taken} of ${view.seats.length} seats taken.${invite}`;
}

function playingText(store) {
  const { view, me } = store;
  const turn = view.deal?.turn_seat;
  if (turn === null || turn === undefined) return ["", false];
  if (me && turn === me.seat)
    return [
      store.showsUndrawn
        ? "Your turn: draw or show"
        : me.moves.includes("draw")
          ? "Your turn: draw"
          : "Discard or finish",
      true,
    ];
  return [`${store.seat(turn)?.name ?? "A player"} to play`, false];
}

function meldingText(store) {
  const by = store.view.melding_by;
  if (by === null || by === undefined) return "A valid show. The others submit their hands.";
  return by === store.me?.seat ? "Submit your hand" : `${store.seat(by)?.name ?? "A player"} is showing`;
}

/** Rebuilds a pile only when what lies on it has changed. */
function pile(id, signature, build) {
  const node = byId(id);
  if (node.dataset.signature === signature) return node;
  node.dataset.signature = signature;
  const parts = build().filter(Boolean);
  for (const part of parts) part.setAttribute("aria-hidden", "true");
  node.replaceChildren(...parts, el("span", { class: "unseen pile-name" }));
  return node;
}

/** What the pile is called by those who do not see what lies on it. */
const callPile = (node, name) => setText(node.querySelector(".pile-name"), name);

function closed(store, deal) {
  const count = deal.closed_count ?? 0;
  const node = pile("closed", `${deal.cut_joker}|${count}`, () => {
    const under = deal.cut_joker ? cardFace(deal.cut_joker, { wildRank: deal.wild_rank }) : null;
    under?.classList.add("under");
    const deck =
      count > 0
        ? [el("span", { class: "deck-edge" }), cardBack()]
        : [el("span", { class: "pile-slot", text: "Empty" })];
    return [under, ...deck, el("span", { class: "pile-label", text: `${plural(count, "card")}` })];
  });
  node.classList.toggle("is-low", count < 12);
  const can = store.can("draw");
  node.disabled = !can;
  node.classList.toggle("can-take", can);
  callPile(
    node,
    `Closed deck, ${plural(count, "card")}. Cut joker: ${cardName(deal.cut_joker)}.${can ? " Draw from it." : ""}`,
  );
}

function open(store, deal) {
  const blind = store.view.table.family === "blind";
  const lying = (deal.discards ?? []).filter(
    (one) => !one.reshuffled && (one.picked_by === null || one.picked_by === undefined),
  );
  const top = deal.open_top ?? null;
  const below = blind ? Math.min(2, lying.length - 1) : Math.min(2, lying.length ? lying.length - 1 : 0);
  const has = blind ? lying.length > 0 : top !== null;
  const node = pile("open", `${top}|${below}|${has}|${deal.wild_rank}`, () =>
    openCards(deal, { blind, has, top, below, lying }),
  );
  const can = store.can("draw") && Boolean(store.me?.pickable_open);
  node.disabled = !(can || store.can("discard"));
  node.classList.toggle("can-take", can);
  const what = blind
    ? `Discards, face down, ${plural(lying.length, "card")}`
    : `Open pile, ${top ? `the ${cardName(top, deal.wild_rank)} on top` : "empty"}`;
  callPile(node, `${what}.${can ? " Draw it." : store.can("discard") ? " Discard the selected card." : ""}`);
}

function openCards(deal, { blind, has, top, below, lying }) {
  const label = el("span", { class: "pile-label", text: blind ? "Discards" : "Open pile" });
  if (!has) return [el("span", { class: "pile-slot", text: blind ? "Discards" : "Open pile" })];
  const older = lying
    .slice(0, -1)
    .slice(-below)
    .map((one) => one.card);
  const face = (card) => (blind || !card ? cardBack() : cardFace(card, { wildRank: deal.wild_rank }));
  const cards =
    below > 0
      ? older.map((card, place) => {
          const node = face(card);
          node.classList.add(place % 2 ? "second" : "third");
          return node;
        })
      : [];
  return [...cards, face(top), label];
}

function finish(store, deal) {
  const card = deal.finish_card ?? null;
  const empty = store.showsUndrawn ? "Show" : "Finish";
  const node = pile("finish", `${card}|${deal.wild_rank}|${empty}`, () => [
    card
      ? card === "hidden"
        ? cardBack()
        : cardFace(card, { wildRank: deal.wild_rank })
      : el("span", { class: "pile-slot", text: empty }),
    card ? el("span", { class: "pile-label", text: "Finish" }) : null,
  ]);
  node.disabled = !store.can("finish");
  callPile(
    node,
    card
      ? `Finish slot: the ${cardName(card)}`
      : store.showsUndrawn
        ? "Finish slot. Show all your cards without drawing."
        : "Finish slot. Finish with the selected card.",
  );
}

export function renderBar(store, facts) {
  const { table, me } = store.view;
  setText(byId("title"), table.title || `Table ${table.id}`);
  setText(byId("facts"), facts(table, me));
  const pot = byId("pot");
  pot.hidden = !table.prize;
  if (table.prize)
    pot.replaceChildren(el("small", { text: "Prize" }), document.createTextNode(money(table.prize, table.money)));
  const call =
    store.can("draw") || store.can("discard") ? "Your turn · " : store.can("submit") ? "Submit your hand · " : "";
  document.title = `${call}${table.title || `Table ${table.id}`} · Thirteen`;
}
