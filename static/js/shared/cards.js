// @ts-check
// What a card is and what it is called. A card is text: rank, suit, pack ("10D2", "JR1"); a face has no pack.

import { t } from "./language.js";

/** @import { Card } from "./types.js" */

/** @type {Record<string, string>} */
const SUITS = { C: t("clubs"), D: t("diamonds"), H: t("hearts"), S: t("spades") };
/** @type {Record<string, (suit: string) => string>} Whole: in Hindi what stands before a queen differs. */
const NAMES = {
  A: (suit) => t("ace of {suit}", { suit }),
  J: (suit) => t("jack of {suit}", { suit }),
  Q: (suit) => t("queen of {suit}", { suit }),
  K: (suit) => t("king of {suit}", { suit }),
};
const RANKS = ["", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

const SUITED = /^(10|[2-9AJQK])([CDHS])\d?$/;

/**
 * What stands on a card or a face; a printed joker has neither rank nor suit.
 *
 * @param {Card} card
 */
export function readCard(card) {
  const parts = SUITED.exec(card);
  if (!parts) return { joker: true, rank: "", suit: "", number: 0 };
  return { joker: false, rank: parts[1], suit: parts[2], number: RANKS.indexOf(parts[1]) };
}

/**
 * Whether this card wears the joker's mark: only the view's own wild rank is compared, nothing is decided here.
 *
 * @param {Card} card
 * @param {number | null} wildRank
 */
export function isMarked(card, wildRank) {
  const read = readCard(card);
  return read.joker || read.number === wildRank;
}

/**
 * Cards in reading order: by rank, an ace beside a king high, printed jokers last. Only for the eye: nothing is judged.
 *
 * @param {Card[]} cards
 */
export function inReadingOrder(cards) {
  const kings = cards.some((card) => readCard(card).rank === "K");
  const twos = cards.some((card) => readCard(card).rank === "2");
  /** @type {(card: Card) => number} */
  const place = (card) => {
    const { joker, number } = readCard(card);
    if (joker) return 99;
    return number === 1 && kings && !twos ? 14 : number;
  };
  return [...cards].sort((one, other) => place(one) - place(other));
}

/**
 * What a card is called.
 *
 * @param {Card} card
 * @param {number | null} [wildRank]
 */
export function cardName(card, wildRank = null) {
  const read = readCard(card);
  if (read.joker) return t("printed joker");
  const suit = SUITS[read.suit];
  const name = NAMES[read.rank]?.(suit) ?? t("{rank} of {suit}", { rank: read.rank, suit });
  return isMarked(card, wildRank) ? t("{name}, wild", { name }) : name;
}
