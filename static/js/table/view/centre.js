// @ts-check
// The middle of the table: status line, closed deck with the cut joker under it, open pile, finish slot.

import { byId, el, find, setText } from "../dom.js";
import { t } from "../language.js";
import { cardName } from "../model/cards.js";
import { remaining } from "../model/clock.js";
import { facts, money, plural } from "../words.js";
import { cardBack, cardFace } from "./cards.js";

/** @typedef {import("../model/state.js").Shown} Shown */
/** @typedef {import("../types.js").Card} Card */
/** @typedef {import("../types.js").DealView} DealView */
/** @typedef {import("../types.js").DiscardView} DiscardView */
/** @typedef {import("../types.js").View} View */

const NO_PILES = new Set(["waiting", "starting", "over"]);

/** @param {Shown} store */
export function renderCentre(store) {
  const { deal, phase } = store.view;
  const shown = deal?.cut_joker && !NO_PILES.has(phase) ? deal : null;
  document.body.classList.toggle("no-piles", shown === null);
  byId("centre").hidden = phase === "melding" && store.can("submit");
  byId("piles").hidden = shown === null;
  status(store);
  if (!shown) return;
  closed(store, shown);
  open(store, shown);
  finish(store, shown);
}

/** @param {Shown} store */
function status(store) {
  const node = byId("status");
  const [text, mine] = statusText(store);
  node.classList.toggle("is-mine", mine);
  const left = remaining(store.view.clock, performance.now() - store.receivedAt);
  if (store.view.phase !== "starting" || store.stopped || left === null) return void setText(node, text);
  if (node.querySelector(".waiting-count")) return;
  const seconds = el("span", { class: "waiting-count", "data-clock-text": "", text: String(Math.ceil(left / 1000)) });
  node.replaceChildren(el("span", { text: t("The deal begins in") }), el("br"), seconds);
}

/**
 * [what the line says, whether it calls on the player].
 *
 * @type {(store: Shown) => [string, boolean]}
 */
export function statusText(store) {
  const { view, me } = store;
  if (store.stopped) return [store.halted === "waiting" ? t("The table waits") : t("The table is stopped"), false];
  if (view.phase === "waiting") return [waitingText(view), false];
  if (view.phase === "playing") return playingText(store);
  if (view.phase === "melding") return [meldingText(store), false];
  if (view.phase === "rejoin") return [t("Waiting for a player to decide on a rejoin"), false];
  if (view.phase === "split") return [t("Waiting for the answers to the split"), false];
  if (view.phase === "starting") return [t("The deal begins in a moment"), false];
  return [me ? "" : t("You are watching"), false];
}

/** @param {View} view */
function waitingText(view) {
  const taken = view.seats.filter((seat) => seat.name).length;
  const more = taken < 2 ? t("One more player and the deal can begin") : t("Waiting for players");
  const invite = view.me?.private_code
    ? t(" Your friends join with the code {private_code}.", { private_code: view.me.private_code })
    : "";
  return t("{more}. {taken} of {seats} seats taken.{invite}", { more, taken, seats: view.seats.length, invite });
}

/** @type {(store: Shown) => [string, boolean]} */
function playingText(store) {
  const { deal, me } = store.view;
  const turn = deal?.turn_seat ?? null;
  if (turn === null) return ["", false];
  if (turn !== me?.seat) return [t("{name} to play", { name: store.seat(turn)?.name ?? t("A player") }), false];
  if (store.showsUndrawn) return [t("Your turn: draw or show"), true];
  return [me.moves.includes("draw") ? t("Your turn: draw") : t("Discard or finish"), true];
}

/** @param {Shown} store */
function meldingText(store) {
  const by = store.view.melding_by;
  if (by === null) return t("A valid show. The others submit their hands.");
  return by === store.me?.seat
    ? t("Submit your hand")
    : t("{name} is showing", { name: store.seat(by)?.name ?? t("A player") });
}

/**
 * Rebuilds a pile only when what lies on it has changed.
 *
 * @type {(id: string, signature: string, build: () => HTMLElement[]) => HTMLButtonElement}
 */
function pile(id, signature, build) {
  const node = /** @type {HTMLButtonElement} */ (byId(id));
  if (node.dataset.signature === signature) return node;
  node.dataset.signature = signature;
  const parts = build();
  for (const part of parts) part.setAttribute("aria-hidden", "true");
  node.replaceChildren(...parts, el("span", { class: "unseen pile-name" }));
  return node;
}

/**
 * What the pile is called by those who do not see what lies on it.
 *
 * @type {(node: HTMLElement, name: string) => void}
 */
const callPile = (node, name) => setText(find(node, ".pile-name"), name);

/** @type {(text: string) => HTMLElement} */
const slot = (text) => el("span", { class: "pile-slot", text });
/** @type {(text: string) => HTMLElement} */
const label = (text) => el("span", { class: "pile-label", text });

/** @type {(store: Shown, deal: DealView) => void} */
function closed(store, deal) {
  const count = deal.closed_count;
  const cards = plural(count, "card");
  const node = pile("closed", `${deal.cut_joker}|${count}`, () => {
    const deck = count > 0 ? [el("span", { class: "deck-edge" }), cardBack()] : [slot(t("Empty"))];
    return [...cutJoker(deal), ...deck, label(cards)];
  });
  node.classList.toggle("is-low", count < 12);
  const can = store.can("draw");
  node.disabled = !can;
  node.classList.toggle("can-take", can);
  const joker = deal.cut_joker ? t(" Cut joker: {card}.", { card: cardName(deal.cut_joker) }) : "";
  callPile(node, t("Closed deck, {cards}.{joker}{can}", { cards, joker, can: can ? t(" Draw from it.") : "" }));
}

/** @param {DealView} deal */
function cutJoker(deal) {
  if (!deal.cut_joker) return [];
  const under = cardFace(deal.cut_joker, { wildRank: deal.wild_rank });
  under.classList.add("under");
  return [under];
}

/** @type {(store: Shown, deal: DealView) => void} */
function open(store, deal) {
  const blind = store.view.table.family === "blind";
  const lying = deal.discards.slice(deal.reshuffled_count).filter((one) => one.picked_by === undefined);
  const top = deal.open_top;
  const any = blind ? lying.length > 0 : top !== null;
  const signature = `${top}|${Math.min(3, lying.length)}|${any}|${deal.wild_rank}`;
  const node = pile("open", signature, () => (any ? openCards(deal, lying, blind) : [slot(openName(blind))]));
  const can = store.can("draw") && Boolean(store.me?.pickable_open);
  node.disabled = !(can || store.can("discard"));
  node.classList.toggle("can-take", can);
  const seen = top ? t("the {card} on top", { card: cardName(top, deal.wild_rank) }) : t("empty");
  const what = blind
    ? t("Discards, face down, {cards}", { cards: plural(lying.length, "card") })
    : t("Open pile, {seen}", { seen });
  const discard = store.can("discard") ? t(" Discard the selected card.") : "";
  callPile(node, `${t("{what}.", { what })}${can ? t(" Draw it.") : discard}`);
}

/** @type {(blind: boolean) => string} */
const openName = (blind) => (blind ? t("Discards") : t("Open pile"));

/**
 * The card on top, with up to two below it.
 *
 * @type {(deal: DealView, lying: DiscardView[], blind: boolean) => HTMLElement[]}
 */
function openCards(deal, lying, blind) {
  /** @type {(card: Card | null) => HTMLElement} */
  const face = (card) => (blind || !card ? cardBack() : cardFace(card, { wildRank: deal.wild_rank }));
  const below = lying.slice(0, -1).slice(-2);
  const cards = below.map((one, place) => {
    const node = face(one.card);
    node.classList.add(place % 2 ? "second" : "third");
    return node;
  });
  return [...cards, face(deal.open_top), label(openName(blind))];
}

/** @type {(store: Shown, deal: DealView) => void} */
function finish(store, deal) {
  const card = deal.finish_card;
  const empty = store.showsUndrawn ? t("Show") : t("Finish");
  const node = pile("finish", `${card}|${deal.wild_rank}|${empty}`, () =>
    card ? [cardFace(card, { wildRank: deal.wild_rank }), label(t("Finish"))] : [slot(empty)],
  );
  node.disabled = !store.can("finish");
  const how = store.showsUndrawn ? t("Show all your cards without drawing.") : t("Finish with the selected card.");
  callPile(node, card ? t("Finish slot: the {card}", { card: cardName(card) }) : t("Finish slot. {how}", { how }));
}

/**
 * The line above the table.
 *
 * @param {Shown} store
 */
export function renderBar(store) {
  const { table, me } = store.view;
  const title = table.title || t("Table {id}", { id: table.id });
  setText(byId("title"), title);
  setText(byId("facts"), facts(table, me));
  const pot = byId("pot");
  pot.hidden = !table.prize;
  if (table.prize) pot.replaceChildren(el("small", { text: t("Prize") }), money(table.prize, table.money));
}
