// @ts-check
// Who is awaited, and how much of their time is left: from the server's remaining time and the page's own monotonic
// timer, never from a wall clock. Pure functions on the view.

/** @import { ClockView, View } from "../../shared/types.js" */

/**
 * Milliseconds left `passed` ms after the view came, 0 at the end; null without a clock.
 *
 * @param {Pick<ClockView, "remaining_ms"> | null | undefined} clock
 * @param {number} passed
 */
export function remaining(clock, passed) {
  return clock ? Math.max(0, clock.remaining_ms - passed) : null;
}

/**
 * The seats whose move, hand or answer the table waits for, with a clock or without.
 *
 * @param {Pick<View, "phase" | "deal" | "melding_by" | "seats" | "prompt">} view
 * @returns {Set<number>}
 */
export function awaitedSeats({ phase, deal, melding_by: declarer, seats, prompt }) {
  if (phase === "playing") return new Set(deal?.turn_seat == null ? [] : [deal.turn_seat]);
  if (phase === "melding") return new Set(declarer === null ? playing(seats) : [declarer]);
  return new Set(prompt ? unanswered(prompt) : []);
}

/** @type {(seats: View["seats"]) => number[]} */
const playing = (seats) => seats.filter((seat) => seat.status === "playing").map((seat) => seat.seat);

/**
 * Those who have not answered the question.
 *
 * @param {NonNullable<View["prompt"]>} prompt
 */
function unanswered(prompt) {
  if (prompt.kind === "rejoin") return prompt.seats;
  return prompt.lines.map((line) => line.seat).filter((seat) => prompt.answers[seat] === undefined);
}
