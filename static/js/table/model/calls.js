// @ts-check
// Whether the table waits for the player, and for what. Pure: by the view's clock and moves alone.

import { awaitedSeats } from "./clock.js";

/** @typedef {import("../types.js").View} View */

/**
 * What the player is called for: their turn, their hand, an answer, a word that they stay, or the beginning of a deal.
 *
 * @typedef {"turn" | "submit" | "answer" | "continue" | "start"} Call
 */

/** @type {[string, Call][]} */
const CALLS = [
  ["draw", "turn"],
  ["discard", "turn"],
  ["submit", "submit"],
  ["rejoin", "answer"],
  ["answer_split", "answer"],
];

/**
 * What runs out for the player; null where nothing does.
 *
 * @param {Pick<View, "clock" | "me" | "melding_by" | "seats" | "prompt">} view
 * @returns {Call | null}
 */
export function callOf(view) {
  const { clock, me } = view;
  if (!clock || !me) return null;
  if (clock.kind === "start") return "start";
  if (clock.kind === "result") return me.moves.includes("continue") ? "continue" : null;
  if (!awaitedSeats(view).has(me.seat)) return null;
  return CALLS.find(([move]) => me.moves.includes(move))?.[1] ?? null;
}
