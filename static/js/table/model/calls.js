// @ts-check
// Whether the table waits for the player, and for what. Pure: by the view alone, with a clock or without.

import { awaitedSeats } from "./clock.js";

/** @import { View } from "../../shared/types.js" */

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
 * What the player is called for; null where nobody waits for them.
 *
 * @param {Pick<View, "clock" | "phase" | "deal" | "me" | "melding_by" | "seats" | "prompt">} view
 * @returns {Call | null}
 */
export function callOf(view) {
  const { clock, me } = view;
  if (!me) return null;
  if (clock?.kind === "start") return "start";
  if (view.phase === "result") return me.moves.includes("continue") ? "continue" : null;
  if (!awaitedSeats(view).has(me.seat)) return null;
  return CALLS.find(([move]) => me.moves.includes(move))?.[1] ?? null;
}
