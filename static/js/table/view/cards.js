// What a card looks like.

import { el, mark } from "../dom.js";
import { cardName, isMarked, readCard } from "../model/cards.js";

/** The face of a card; `tag` "button" in the hand, "span" elsewhere (then it is an image with a name). */
export function cardFace(card, { wildRank = null, tag = "span", named = true } = {}) {
  const read = readCard(card);
  const node = el(tag, { class: `card ${read.joker ? "is-printed" : `suit-${read.suit}`}` });
  node.dataset.card = card;
  if (tag === "button") node.type = "button";
  else if (named) {
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", cardName(card, wildRank));
  }
  node.append(
    read.joker ? jokerIndex() : suitIndex(read),
    art(read),
    el("span", { class: "card-wild", "aria-hidden": "true" }, mark("joker")),
  );
  markWild(node, card, wildRank);
  return node;
}

/** Marks or unmarks a card node when the cut joker becomes known. */
export function markWild(node, card, wildRank) {
  node.classList.toggle("is-wild", !readCard(card).joker && isMarked(card, wildRank));
}

function suitIndex(read) {
  const ten = read.rank === "10" ? " is-ten" : "";
  return el(
    "span",
    { class: `card-index${ten}`, "aria-hidden": "true" },
    el("b", { text: read.rank }),
    mark(read.suit),
  );
}

function jokerIndex() {
  return el(
    "span",
    { class: "card-index", "aria-hidden": "true" },
    mark("joker", "mark mark-hat"),
    el("i", { text: "JOKER" }),
  );
}

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
