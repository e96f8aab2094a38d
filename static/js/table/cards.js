// What a card looks like and what it is called. A card is text: rank, suit, pack ("10D2", "JR1"); a face has no pack.

import { el, mark } from "./dom.js";

const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
const NAMES = { A: "ace", J: "jack", Q: "queen", K: "king" };
const RANKS = ["", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

export function readCard(card) {
  const parts = /^(10|[2-9AJQK])([CDHS])\d?$/.exec(card);
  if (!parts) return { joker: true, rank: "", suit: "", number: 0 };
  return { joker: false, rank: parts[1], suit: parts[2], number: RANKS.indexOf(parts[1]) };
}

/** Whether this card wears the joker's mark: only the view's own wild rank is compared, nothing is decided here. */
export function isMarked(card, wildRank) {
  const read = readCard(card);
  return read.joker || (wildRank !== null && wildRank !== undefined && (read.number === Number(wildRank) || read.rank === wildRank));
}

/** Cards in reading order: by rank, an ace beside a king high, printed jokers last. Only for the eye: nothing is judged. */
export function inReadingOrder(cards) {
  const kings = cards.some((card) => readCard(card).rank === "K");
  const twos = cards.some((card) => readCard(card).rank === "2");
  const place = (card) => {
    const { joker, number } = readCard(card);
    return joker ? 99 : number === 1 && kings && !twos ? 14 : number;
  };
  return [...cards].sort((one, other) => place(one) - place(other));
}

export function cardName(card, wildRank = null) {
  const read = readCard(card);
  if (read.joker) return "printed joker";
  const name = `${NAMES[read.rank] ?? read.rank} of ${SUITS[read.suit]}`;
  return isMarked(card, wildRank) ? `${name}, wild` : name;
}

export function shortName(card) {
  const read = readCard(card);
  return read.joker ? "the joker" : `${read.rank}${{ C: "♣", D: "♦", H: "♥", S: "♠" }[read.suit]}\uFE0E`;
}

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
  node.append(read.joker ? jokerIndex() : suitIndex(read), art(read), el("span", { class: "card-wild", "aria-hidden": "true" }, mark("joker")));
  markWild(node, card, wildRank);
  return node;
}

/** Marks or unmarks a card node when the cut joker becomes known. */
export function markWild(node, card, wildRank) {
  node.classList.toggle("is-wild", !readCard(card).joker && isMarked(card, wildRank));
}

function suitIndex(read) {
  const ten = read.rank === "10" ? " is-ten" : "";
  return el("span", { class: `card-index${ten}`, "aria-hidden": "true" }, el("b", { text: read.rank }), mark(read.suit));
}

function jokerIndex() {
  return el("span", { class: "card-index", "aria-hidden": "true" }, mark("joker", "mark mark-hat"), el("i", { text: "JOKER" }));
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
