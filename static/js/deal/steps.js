// @ts-check
// The steps of a finished deal as the server tells them: each says only what has changed since the one before.

/** @import { Card } from "../shared/types.js" */

/**
 * A hand as its player had laid it; `points` once they are fixed.
 *
 * @typedef {{groups: Card[][], loose: Card[], standing: string, points: number | null}} Hand
 */

/**
 * How the deal lay after one event: `event` is its place among all events of the deal.
 *
 * @typedef {Object} Step
 * @property {number} event
 * @property {string} type
 * @property {string} text
 * @property {number | null} seat
 * @property {Card | null} card
 * @property {"closed" | "open" | null} pile
 * @property {number | null} turn
 * @property {number} closed
 * @property {Card[]} open
 * @property {number} open_count
 * @property {Card | null} cut
 * @property {number} wild_rank
 * @property {Card | null} finish
 * @property {Record<string, Hand>} hands
 */

/**
 * Every step in full.
 *
 * @param {Partial<Step>[]} changes
 * @returns {Step[]}
 */
export function unfolded(changes) {
  /** @type {Step[]} */
  const steps = [];
  for (const change of changes) {
    const before = steps.at(-1);
    steps.push(/** @type {Step} */ ({ ...before, ...change, hands: { ...before?.hands, ...change.hands } }));
  }
  return steps;
}

/**
 * The first step at which cards lie on the table: what comes before is only the toss.
 *
 * @param {Step[]} steps
 */
export function firstDealt(steps) {
  const place = steps.findIndex((step) => step.cut !== null);
  return Math.max(place, 0);
}

/**
 * The step that shows an event of the deal, or the last one before it.
 *
 * @param {Step[]} steps
 * @param {number} event
 */
export function stepOf(steps, event) {
  const place = steps.findIndex((step) => step.event > event);
  return Math.max((place < 0 ? steps.length : place) - 1, 0);
}

/**
 * By seat the cards that were dealt; nothing where none were.
 *
 * @param {Step[]} steps
 */
export function dealtHands(steps) {
  const { hands } = steps[firstDealt(steps)];
  /** @type {(hand: Hand) => Card[]} */
  const cards = ({ groups, loose }) => [...groups.flat(), ...loose];
  return Object.fromEntries(Object.entries(hands).map(([seat, hand]) => [seat, cards(hand)]));
}
