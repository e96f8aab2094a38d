// @ts-check
// Whether a proof holds: what in it differs from what its own seeds give, in the words of `manage.py verify_deal`, and
// whether it fits what this browser knows of the deal.

import { t } from "../shared/language.js";
import { bytesOf, commitment, reshuffle, shoe, toss } from "./shuffle.js";

const HAND = 13;
const PARTS = ["commitment", "toss", "hands", "upcard", "cut_joker", "closed", "reshuffles"];

/** @import { Seeds } from "./shuffle.js" */
/** @import { OwnSeed } from "../shared/seeds.js" */

/**
 * @typedef {Object} Proof
 * @property {number | string} deal
 * @property {string} commitment
 * @property {string} seed
 * @property {string[]} client_seeds
 * @property {number[]} order
 * @property {number | null} packs
 * @property {{seat: number, card: string}[] | null} toss
 * @property {Record<string, string[]>} hands
 * @property {string | null} upcard
 * @property {string | null} cut_joker
 * @property {string[]} closed
 * @property {{number: number, discarded: string[], closed: string[]}[]} reshuffles
 */

/** What is said of anything that lacks a part of a proof, or holds something else than it should. */
export const NO_PROOF = t("This is not a proof of a deal.");

/**
 * A sentence for each difference; none for an honest deal.
 *
 * @param {Proof} proof
 * @returns {string[]}
 */
export function differences(proof) {
  try {
    return [...found(proof)];
  } catch {
    return [NO_PROOF];
  }
}

/**
 * The shoe of a proof, first card first.
 *
 * @param {Proof} proof
 */
export function shoeOf(proof) {
  return shoe(seedsOf(proof), whole(proof.packs));
}

/** @param {Proof} proof */
function seedsOf(proof) {
  if (!["number", "string"].includes(typeof proof.deal)) throw new TypeError("no deal");
  return { deal: String(proof.deal), seed: bytesOf(proof.seed), clients: listOf(proof.client_seeds).map(bytesOf) };
}

/** @param {Proof} proof */
function* found(proof) {
  if (!PARTS.every((part) => part in proof)) throw new TypeError("a part is missing");
  const seeds = seedsOf(proof);
  if (commitment(seeds) !== proof.commitment) yield t("The commitment is not the one of this seed.");
  const order = listOf(proof.order);
  if (!same(Object.keys(proof.hands).sort(), order.map(String).sort()))
    yield t("The hands are not those of the seats that were dealt to.");
  if (order.length === 0) {
    const shown = [proof.toss, proof.upcard, proof.cut_joker, ...listOf(proof.closed), ...listOf(proof.reshuffles)];
    if (shown.some((part) => part !== null)) yield t("Cards are shown, but none were dealt.");
    return;
  }
  const cards = shoeOf(proof);
  for (const [place, seat] of order.entries()) {
    const hand = cards.slice(0, HAND * order.length).filter((_, at) => at % order.length === place);
    if (!same(hand, listOf(proof.hands[seat])))
      yield t("The hand of seat {seat} is not the one that the shoe gives.", { seat: Number(seat) + 1 });
  }
  yield* tableDifferences(proof, cards.slice(HAND * order.length));
  yield* tossDifferences(proof, toss(seeds));
  yield* reshuffleDifferences(proof, seeds);
}

/** @type {(proof: Proof, rest: string[]) => Generator<string>} */
function* tableDifferences({ upcard, cut_joker: cut, closed }, rest) {
  const turned = upcard === null ? null : rest.shift();
  if (turned !== upcard) yield t("The upcard is not the one that the shoe gives.");
  if (rest.shift() !== cut) yield t("The cut joker is not the one that the shoe gives.");
  if (!same(rest, listOf(closed))) yield t("The closed deck is not the rest of the shoe.");
}

/** @type {(proof: Proof, pack: string[]) => Generator<string>} */
function* tossDifferences({ toss: shown, order }, pack) {
  if (shown === null) return;
  const seats = [...order].sort((one, other) => one - other);
  const claimed = listOf(shown).map(({ seat, card }) => `${seat} ${card}`);
  const drawn = seats.map((seat, place) => `${seat} ${pack[place]}`);
  if (!same(claimed, drawn)) yield t("The toss is not the one of this seed.");
}

/** @type {(proof: Proof, seeds: Seeds) => Generator<string>} */
function* reshuffleDifferences({ reshuffles }, seeds) {
  for (const [place, each] of listOf(reshuffles).entries()) {
    const number = place + 1;
    const honest =
      each.number === number && same(reshuffle(listOf(each.discarded), number, seeds), listOf(each.closed));
    if (!honest) yield t("Reshuffle {number} is not the one of this seed.", { number });
  }
}

/**
 * What is known of a deal without its proof: its number, the hands that were dealt on this page, and what this browser
 * has kept of it.
 *
 * @typedef {{deal: number | string, hands: Record<string, string[]>, own: OwnSeed | null}} Known
 */

/**
 * Why the proof is none of this deal, or of this browser's part in it; empty where it fits.
 *
 * @param {Proof} proof
 * @param {Known} known
 * @returns {string[]}
 */
export function misfits(proof, { deal, hands, own }) {
  if (proof?.deal === undefined) return [NO_PROOF];
  if (String(proof.deal) !== String(deal)) {
    return [
      t("This is the proof of deal #{slice}, not of deal #{deal}. It says nothing about this one.", {
        slice: String(proof.deal).slice(0, 20),
        deal,
      }),
    ];
  }
  const faults = [];
  for (const [seat, dealt] of Object.entries(hands)) {
    const proved = Array.isArray(proof.hands?.[seat]) ? [...proof.hands[seat]].sort() : [];
    if (!same(proved, [...dealt].sort()))
      faults.push(t("The proof shows another hand at seat {seat} than was dealt.", { seat }));
  }
  if (own && own.commitment !== proof.commitment) {
    faults.push(t("The promise in this proof is not the one that this browser noted before the deal."));
  }
  if (own && !(Array.isArray(proof.client_seeds) && proof.client_seeds.includes(own.seed))) {
    faults.push(t("The seed that this browser gave is not part of this proof."));
  }
  return faults;
}

/** @type {(one: unknown[], other: unknown[]) => boolean} */
const same = (one, other) => one.length === other.length && one.every((each, place) => each === other[place]);

/**
 * @template T
 * @param {T[]} value
 * @returns {T[]}
 */
function listOf(value) {
  if (!Array.isArray(value)) throw new TypeError("no list");
  return value;
}

/** @param {number | null} packs */
function whole(packs) {
  if (packs === null || ![1, 2, 3].includes(packs)) throw new TypeError("no number of packs");
  return packs;
}
