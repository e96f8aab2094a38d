// @ts-check
// A seat that is gone without its player's will: what of it they read.

import { rowsOf } from "./table.js";

/** @import { TableEvent, View } from "../../shared/types.js" */

/**
 * What a player reads whose seat is gone: what came back, whether it was for not continuing, and the last result.
 *
 * @typedef {Object} SeatedOut
 * @property {number} returned
 * @property {boolean} unready
 * @property {(import("../../shared/types.js").ResultRowView & {mine: boolean})[] | null} rows
 * @property {import("../../shared/types.js").DealId | null} deal
 * @property {number | null} wildRank
 */

/**
 * The seat that the player had in the view until now, `before`, and did not give up; null if they have lost none.
 *
 * @param {View | null} before
 * @param {TableEvent[]} events
 * @param {boolean} leaving
 * @returns {SeatedOut | null}
 */
export function lostSeat(before, events, leaving) {
  const seat = before?.me?.seat;
  const left = events.find((event) => event.type === "seat_left" && event.seat === seat);
  if (!before?.me || !left || leaving) return null;
  return {
    returned: left.returned ?? 0,
    // Who has continued may have been seated out all the same: for too few chips, or by a limit of their own.
    unready: before.phase === "result" && before.me.moves.includes("continue"),
    rows: rowsOf(before),
    deal: before.result?.deal ?? null,
    wildRank: before.deal?.wild_rank ?? null,
  };
}
