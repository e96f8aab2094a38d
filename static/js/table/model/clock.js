// Whose time runs, and how much of it is left: from the server's remaining time and the page's own monotonic timer,
// never from a wall clock. Pure functions on the view.

/** Milliseconds left `passed` ms after the view came, 0 at the end; null without a clock. */
export function remaining(clock, passed) {
  return clock ? Math.max(0, clock.remaining_ms - passed) : null;
}

/** The seats for which the clock runs. */
export function awaitedSeats(view) {
  const { clock } = view;
  if (["start", "result"].includes(clock.kind)) return new Set();
  if (clock.seat !== null && clock.seat !== undefined) return new Set([clock.seat]);
  if (clock.kind === "meld") {
    if (view.melding_by !== null && view.melding_by !== undefined) return new Set([view.melding_by]);
    return new Set(view.seats.filter((seat) => seat.status === "playing").map((seat) => seat.seat));
  }
  if (clock.kind === "rejoin") return new Set(view.prompt?.seats ?? []);
  if (clock.kind === "split") {
    const answers = view.prompt?.answers ?? {};
    return new Set(
      (view.prompt?.lines ?? [])
        .map((line) => line.seat)
        .filter((seat) => answers[seat] === undefined || answers[seat] === null),
    );
  }
  return new Set();
}
