// @ts-check
// The order of a shoe from its seeds, as the protocol says it: the same on every machine as the server's own.

import { sha256 } from "../../vendor/noble-hashes/sha2.js";
import { shake256 } from "../../vendor/noble-hashes/sha3.js";

const DOMAIN = "rummy-deal-v1";
const WORDS = 65536;
const SUITS = "CDHS";
const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const HEX = /^([0-9a-f]{2})*$/;
const PAIRS = /../g;

/** The pack for the toss: no joker in it. */
const TOSS_PACK = [...SUITS].flatMap((suit) => RANKS.map((rank) => rank + suit));

/** @typedef {{deal: string, seed: Uint8Array, clients: Uint8Array[], domain?: string}} Seeds */

/**
 * The bytes of a hexadecimal text; an error for any other.
 *
 * @param {unknown} text
 */
export function bytesOf(text) {
  if (typeof text !== "string" || !HEX.test(text)) throw new TypeError("no hexadecimal text");
  return Uint8Array.from(text.match(PAIRS) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** @param {Uint8Array} bytes */
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * What the server publishes before the deal: it binds the server to its seed, and betrays nothing of it.
 *
 * @param {Seeds} seeds
 */
export const commitment = ({ deal, seed, domain = DOMAIN }) => hexOf(sha256(joined(utf8(domain + deal), seed)));

/**
 * The whole shoe, first card first.
 *
 * @param {Seeds} seeds
 * @param {number} packs
 */
export function shoe(seeds, packs) {
  const numbers = Array.from({ length: packs }, (_, place) => place + 1);
  return shuffled(
    numbers.flatMap((pack) => [...TOSS_PACK, "JR"].map((face) => face + pack)),
    seeds,
    "",
  );
}

/**
 * The pack of the toss: the seats take its first cards in their order.
 *
 * @param {Seeds} seeds
 */
export const toss = (seeds) => shuffled(TOSS_PACK, seeds, "/toss");

/**
 * The new closed deck from these discards, in the order in which they were made; `number` counts reshuffles from 1.
 *
 * @param {string[]} cards
 * @param {number} number
 * @param {Seeds} seeds
 */
export const reshuffle = (cards, number, seeds) => shuffled(cards, seeds, `/reshuffle-${number}`);

/**
 * Fisher-Yates from the last card down, without modulo bias.
 *
 * @template T
 * @param {T[]} cards
 * @param {Seeds} seeds
 * @param {string} label
 */
export function shuffled(cards, { deal, seed, clients, domain = DOMAIN }, label) {
  const stream = shake256.create({}).update(joined(utf8(domain + deal + label), seed, ...clients));
  const order = [...cards];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = below(last + 1, stream);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

/**
 * The next number under `bound`: words of the last, incomplete stretch are passed over.
 *
 * @param {number} bound
 * @param {{xof: (size: number) => Uint8Array}} stream
 */
function below(bound, stream) {
  const limit = WORDS - (WORDS % bound);
  for (;;) {
    const [high, low] = stream.xof(2);
    const word = high * 256 + low;
    if (word < limit) return word % bound;
  }
}

/** @type {(words: string) => Uint8Array} */
const utf8 = (words) => new TextEncoder().encode(words);

/** @type {(...parts: Uint8Array[]) => Uint8Array} */
const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
