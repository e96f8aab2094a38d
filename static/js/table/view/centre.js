// @ts-check
// The middle of the table: status line, closed deck with the cut joker under it, open pile, finish slot.

import { cardBack, cardFace } from "../../shared/card_faces.js";
import { cardName } from "../../shared/cards.js";
import { byId, drawnOnce, el, setText } from "../../shared/dom.js";
import { t } from "../../shared/language.js";
import { find } from "../../shared/query.js";
import { facts, heading, money, pausedText, plural } from "../../shared/words.js";

/** @import { Shown } from "../model/state.js" */
/** @import { ShownTable } from "../model/table.js" */
/** @import { Card, DealView, View } from "../../shared/types.js" */

const NO_PILES = new Set(["waiting", "starting", "over"]);

/** @param {Shown} store */
export function renderCentre(store) {
  const { table } = store;
  const { deal, phase } = table.view;
  const shown = deal?.cut_joker && !NO_PILES.has(phase) ? deal : null;
  document.body.classList.toggle("no-piles", shown === null);
  byId("centre").hidden = phase === "melding" && table.can("submit");
  byId("piles").hidden = shown === null;
  status(store);
  if (!shown) return;
  closed(table, shown);
  open(table, shown);
  finish(table, shown);
}

/** @param {Shown} store */
function status(store) {
  const { table } = store;
  const node = byId("status");
  const [text, mine] = statusText(store);
  node.classList.toggle("is-mine", mine);
  const left = table.timeLeft();
  const counts = table.view.phase === "starting" && !table.stopped && left !== null;
  drawnOnce(node, counts ? null : text, (line) => node.replaceChildren(...(line === null ? countdown() : [line])));
}

/** The seconds are the rings': they write them wherever `data-clock-text` stands, with each tick. */
const countdown = () => [
  el("span", { text: t("The deal begins in") }),
  el("br"),
  el("span", { class: "waiting-count", "data-clock-text": "" }),
];

/**
 * [what the line says, whether it calls on the player].
 *
 * @type {(store: Shown) => [string, boolean]}
 */
export function statusText({ table, own }) {
  const { view, me } = table;
  if (table.stopped) return [table.halted === "waiting" ? t("The table waits") : t("The table is stopped"), false];
  if (own.onItsWay && view.phase === "playing") return [t("On its way…"), true];
  if (view.phase === "waiting") return [waitingText(view), false];
  if (view.phase === "playing") return playingText(table);
  if (view.phase === "melding") return [meldingText(table), false];
  if (view.phase === "rejoin") return [t("Waiting for a player to decide on a rejoin"), false];
  if (view.phase === "split") return [t("Waiting for the answers to the split"), false];
  if (view.phase === "starting")
    return [view.table.tournament?.paused ? pausedText() : t("The deal begins in a moment"), false];
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

/** @type {(table: ShownTable) => [string, boolean]} */
function playingText(table) {
  const { deal, me } = table.view;
  const turn = deal?.turn_seat ?? null;
  if (turn === null) return ["", false];
  if (turn !== me?.seat) return [t("{name} to play", { name: table.seat(turn)?.name ?? t("A player") }), false];
  if (table.showsUndrawn) return [t("Your turn: draw or show"), true];
  return [me.moves.includes("draw") ? t("Your turn: draw") : t("Discard or finish"), true];
}

/** @param {ShownTable} table */
function meldingText(table) {
  const by = table.view.melding_by;
  if (by === null) return t("A valid show. The others submit their hands.");
  return by === table.me?.seat
    ? t("Submit your hand")
    : t("{name} is showing", { name: table.seat(by)?.name ?? t("A player") });
}

/**
 * Rebuilds a pile only when what lies on it has changed.
 *
 * @template S
 * @param {string} id
 * @param {S} lying
 * @param {(lying: S) => HTMLElement[]} build looks at nothing else
 */
function pile(id, lying, build) {
  const node = /** @type {HTMLButtonElement} */ (byId(id));
  drawnOnce(node, lying, () => {
    const parts = build(lying);
    for (const part of parts) part.setAttribute("aria-hidden", "true");
    node.replaceChildren(...parts, el("span", { class: "visually-hidden pile-name" }));
  });
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

/** @type {(table: ShownTable, deal: DealView) => void} */
function closed(table, deal) {
  const count = deal.closed_count;
  const cards = plural(count, "card");
  const node = pile("closed", { cut: deal.cut_joker, wildRank: deal.wild_rank, count }, closedDeck);
  node.classList.toggle("is-low", count < 12);
  const can = table.can("draw");
  node.disabled = !can;
  node.classList.toggle("can-take", can);
  const joker = deal.cut_joker ? t(" Cut joker: {card}.", { card: cardName(deal.cut_joker) }) : "";
  callPile(node, t("Closed deck, {cards}.{joker}{can}", { cards, joker, can: can ? t(" Draw from it.") : "" }));
}

/** @param {{cut: Card | null, wildRank: number | null, count: number}} deck */
function closedDeck({ cut, wildRank, count }) {
  const deck = count > 0 ? [el("span", { class: "deck-edge" }), cardBack()] : [slot(t("Empty"))];
  return [...cutJoker(cut, wildRank), ...deck, label(plural(count, "card"))];
}

/** @type {(cut: Card | null, wildRank: number | null) => HTMLElement[]} */
function cutJoker(cut, wildRank) {
  if (!cut) return [];
  const under = cardFace(cut, { wildRank });
  under.classList.add("under");
  return [under];
}

/** @type {(table: ShownTable, deal: DealView) => void} */
function open(table, deal) {
  const blind = table.view.table.family === "blind";
  const lying = deal.discards.slice(deal.reshuffled_count).filter((one) => one.picked_by === undefined);
  const top = deal.open_top;
  const below = lying.slice(0, -1).slice(-2);
  const any = blind ? lying.length > 0 : top !== null;
  const cards = any ? [...below.map((one) => one.card), top] : [];
  const node = pile("open", { cards, blind, wildRank: deal.wild_rank }, openCards);
  const can = table.can("draw") && Boolean(table.me?.pickable_open);
  // Where the card may not be drawn, a press is answered with why.
  const refused = table.can("draw") && top !== null && !can;
  node.disabled = !(can || refused || table.can("discard"));
  node.classList.toggle("can-take", can);
  const seen = top ? t("the {card} on top", { card: cardName(top, deal.wild_rank) }) : t("empty");
  const what = blind
    ? t("Discards, face down, {cards}", { cards: plural(lying.length, "card") })
    : t("Open pile, {seen}", { seen });
  const discard = table.can("discard") ? t(" Discard the selected card.") : "";
  const draw = can ? t(" Draw it.") : t(" You cannot draw it.");
  callPile(node, `${t("{what}.", { what })}${can || refused ? draw : discard}`);
}

/** @type {(blind: boolean) => string} */
const openName = (blind) => (blind ? t("Discards") : t("Open pile"));

/**
 * The card on top, the last of `cards`, with up to two below it.
 *
 * @type {(pile: {cards: (Card | null)[], blind: boolean, wildRank: number | null}) => HTMLElement[]}
 */
function openCards({ cards, blind, wildRank }) {
  if (cards.length === 0) return [slot(openName(blind))];
  const faces = cards.map((card) => (blind || !card ? cardBack() : cardFace(card, { wildRank })));
  for (const [place, face] of faces.slice(0, -1).entries()) face.classList.add(place % 2 ? "second" : "third");
  return [...faces, label(openName(blind))];
}

/** @type {(table: ShownTable, deal: DealView) => void} */
function finish(table, deal) {
  const card = deal.finish_card;
  const node = pile("finish", { card, wildRank: deal.wild_rank, undrawn: table.showsUndrawn }, finishSlot);
  node.disabled = !table.can("finish");
  const how = table.showsUndrawn ? t("Show all your cards without drawing.") : t("Finish with the selected card.");
  callPile(node, card ? t("Finish slot: the {card}", { card: cardName(card) }) : t("Finish slot. {how}", { how }));
}

/** @type {(lying: {card: Card | null, wildRank: number | null, undrawn: boolean}) => HTMLElement[]} */
const finishSlot = ({ card, wildRank, undrawn }) =>
  card ? [cardFace(card, { wildRank }), label(t("Finish"))] : [slot(undrawn ? t("Show") : t("Finish"))];

/**
 * The line above the table.
 *
 * @param {ShownTable} table
 */
export function renderBar(table) {
  const { table: terms, me } = table.view;
  setText(byId("title"), heading(terms));
  setText(byId("facts"), facts(terms, me));
  const pot = byId("pot");
  pot.hidden = !terms.prize;
  if (terms.prize) pot.replaceChildren(el("small", { text: t("Prize") }), money(terms.prize, terms.money));
}
