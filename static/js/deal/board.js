// @ts-check
// One step of a finished deal with its cards: every hand, the piles, whose turn it is, and which card has moved.

import { cardBack, cardFace } from "../shared/card_faces.js";
import { readCard } from "../shared/cards.js";
import { byId, el } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { plural, STATUSES } from "../shared/words.js";

/** @import { Hand, Step } from "./steps.js" */
/** @import { Card } from "../shared/types.js" */
/** @typedef {{seat: number, name: string, bot: boolean}} Seated */

/** @type {Record<string, string | undefined>} */
const STANDINGS = { ...STATUSES, left_show: STATUSES.wrong };

/**
 * @param {Step} step
 * @param {Seated[]} players in the order in which they are shown
 */
export function drawStep(step, players) {
  byId("piles").replaceChildren(...piles(step));
  byId("hands").replaceChildren(...players.map((player) => row(step, player)));
}

/** @param {Step} step */
function piles(step) {
  return [
    pile(t("Closed"), step.closed > 0 ? [cardBack()] : [], cards(step.closed), step.pile === "closed"),
    pile(
      t("Open pile"),
      faces(step, step.open),
      cards(step.open_count),
      step.pile === "open" || step.type === "card_discarded",
    ),
    pile(t("Cut joker"), faces(step, step.cut ? [step.cut] : []), ""),
    pile(t("Finish"), faces(step, step.finish ? [step.finish] : []), "", step.type === "finish_placed"),
  ];
}

/** @type {(count: number) => string} */
const cards = (count) => plural(count, "card");

/** @type {(title: string, shown: HTMLElement[], note: string, moved?: boolean) => HTMLElement} */
function pile(title, shown, note, moved = false) {
  return el(
    "figure",
    { class: `replay__pile${moved ? " is-moved" : ""}` },
    el(
      "div",
      { class: "replay__stack mini" },
      ...(shown.length > 0 ? shown : [el("span", { class: "replay__empty" })]),
    ),
    el("figcaption", {}, title, note ? el("small", { text: note }) : null),
  );
}

/** @type {(step: Step, shown: Card[]) => HTMLElement[]} */
const faces = (step, shown) => shown.map((card) => faceOf(step, card));

/** @type {(step: Step, card: Card) => HTMLElement} */
function faceOf(step, card) {
  const node = cardFace(card, { wildRank: step.wild_rank || null });
  node.classList.toggle("is-moved", card === step.card);
  return node;
}

/** @type {(step: Step, player: Seated) => HTMLElement} */
function row(step, player) {
  const hand = step.hands[player.seat];
  const turn = step.turn === player.seat;
  const marks = [
    player.bot ? t("Computer") : "",
    turn ? t("To play") : "",
    hand ? (STANDINGS[hand.standing] ?? "") : "",
  ];
  const points = hand?.points ?? null;
  if (points !== null) marks.push(plural(points, "point"));
  return el(
    "li",
    { class: `replay__hand${turn ? " is-turn" : ""}${hand && hand.standing !== "in" ? " is-out" : ""}` },
    el(
      "p",
      { class: "replay__who" },
      el("b", { text: player.name }),
      el("small", { text: marks.filter(Boolean).join(" · ") }),
    ),
    el("div", { class: "replay__cards mini" }, ...(hand ? groups(step, hand) : [])),
  );
}

/** @type {(step: Step, hand: Hand) => HTMLElement[]} */
function groups(step, hand) {
  const laid = hand.loose.length > 0 ? [...hand.groups, inSuits(hand.loose)] : hand.groups;
  return laid.map((group) => el("span", { class: "replay__group" }, ...faces(step, group)));
}

/**
 * Loose cards lie as they came: for the eye they stand suit by suit, printed jokers last.
 *
 * @param {Card[]} loose
 */
function inSuits(loose) {
  /** @type {(card: Card) => number} */
  const place = (card) => {
    const { joker, suit, number } = readCard(card);
    return joker ? 99 : "SHCD".indexOf(suit) * 20 + number;
  };
  return [...loose].sort((one, other) => place(one) - place(other));
}
