// @ts-check
// What a card looks like.

import { cardName, isMarked, readCard } from "./cards.js";
import { el, mark } from "./dom.js";

/** @import { Card } from "./types.js" */
/** @typedef {ReturnType<typeof readCard>} Read */

/**
 * The face of a card; `tag` "button" in the hand, "span" elsewhere (then it is an image with a name).
 *
 * @param {Card} card
 * @param {{wildRank?: number | null, tag?: "span" | "button", named?: boolean}} [look]
 */
export function cardFace(card, { wildRank = null, tag = "span", named = true } = {}) {
  const read = readCard(card);
  const type = tag === "button" ? "button" : null;
  /** @type {HTMLElement} */
  const node = el(tag, { class: `card ${read.joker ? "is-printed" : `suit-${read.suit}`}`, type });
  node.dataset.card = card;
  if (type) return filled(node, card, wildRank);
  if (named) {
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", cardName(card, wildRank));
  }
  return filled(node, card, wildRank);
}

/**
 * @param {HTMLElement} node
 * @param {Card} card
 * @param {number | null} wildRank
 */
function filled(node, card, wildRank) {
  const read = readCard(card);
  node.append(
    read.joker ? jokerIndex() : suitIndex(read),
    art(read),
    el("span", { class: "card-wild", "aria-hidden": "true" }, mark("joker")),
  );
  markWild(node, card, wildRank);
  return node;
}

/**
 * Marks or unmarks a card node when the cut joker becomes known.
 *
 * @param {HTMLElement} node
 * @param {Card} card
 * @param {number | null} wildRank
 */
export function markWild(node, card, wildRank) {
  node.classList.toggle("is-wild", !readCard(card).joker && isMarked(card, wildRank));
}

/** @param {Read} read */
function suitIndex(read) {
  const ten = read.rank === "10" ? " is-ten" : "";
  return el(
    "span",
    { class: `card-index${ten}`, "aria-hidden": "true" },
    el("b", { text: read.rank }),
    mark(read.suit),
  );
}

/** The letters are the style sheet's: drawn, like those of a printed card, and no text in any language. */
function jokerIndex() {
  return el("span", { class: "card-index", "aria-hidden": "true" }, mark("joker", "mark mark-hat"), el("i"));
}

/** @param {Read} read */
function art(read) {
  const court = "JQK".includes(read.rank) && read.rank !== "";
  const node = el("span", { class: `card-art${court ? " is-court" : ""}`, "aria-hidden": "true" });
  if (read.joker) node.append(mark("joker"));
  else if (court) node.append(mark(read.rank, "mark mark-court"), mark(read.suit));
  else node.append(mark(read.suit));
  return node;
}

export function cardBack() {
  return el("span", { class: "card is-back", "aria-hidden": "true" });
}
