// The running clock: from the server's remaining time and this page's own monotonic timer, never from a wall clock.

import { byId } from "./dom.js";

const TICK_MS = 100;

export class Clock {
  /** `lastSeconds(seconds)` is called once for each of the last five seconds of the player's own time to act. */
  constructor(store, lastSeconds) {
    this.store = store;
    this.lastSeconds = lastSeconds;
    this.said = null;
    setInterval(() => this.tick(), TICK_MS);
  }

  /** Milliseconds left, 0 at the end; null without a clock, and at a table that is stopped. */
  remaining() {
    const clock = this.store.view?.clock;
    if (!clock || this.store.stopped) return null;
    return Math.max(0, clock.remaining_ms - (performance.now() - this.store.receivedAt));
  }

  tick() {
    const { view } = this.store;
    if (!view) return;
    const left = this.remaining();
    const awaited = left === null ? new Set() : awaitedSeats(view);
    for (const node of [...byId("seats").children, byId("own-seat")]) {
      if (node.dataset.seat !== undefined) this.#ring(node, awaited.has(Number(node.dataset.seat)), left, view.clock);
    }
    const seconds = left === null ? null : Math.ceil(left / 1000);
    for (const node of document.querySelectorAll("[data-clock-text]")) {
      const text = seconds === null ? "" : String(seconds);
      if (node.textContent !== text) node.textContent = text;
      node.classList.toggle("is-low", seconds !== null && seconds <= 10);
    }
    this.#warn(seconds, awaited);
  }

  #ring(node, runs, left, clock) {
    const ring = node.querySelector(".ring");
    if (!ring) return;
    ring.classList.toggle("is-running", runs);
    const part = runs ? left / (clock.length_ms || 1) : 0;
    ring.classList.toggle("is-extra", runs && clock.kind === "extra");
    ring.classList.toggle("is-low", runs && clock.kind !== "extra" && left <= 10_000);
    ring.lastChild.style.strokeDashoffset = String(100 - 100 * Math.min(1, part));
    const text = runs && (clock.kind === "extra" || left <= 10_000) ? String(Math.ceil(left / 1000)) : "";
    const seconds = node.querySelector(".ring-seconds");
    if (seconds.textContent !== text) seconds.textContent = text;
  }

  #warn(seconds, awaited) {
    const { view, me } = this.store;
    const mine = me && awaited.has(me.seat) && ["extra", "meld", "turn"].includes(view.clock?.kind);
    if (!mine || seconds === null || seconds > 5 || seconds < 1) return;
    const key = `${view.clock.deadline}-${seconds}`;
    if (this.said === key) return;
    this.said = key;
    this.lastSeconds(seconds, view.clock.kind);
  }
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
    return new Set((view.prompt?.lines ?? []).map((line) => line.seat).filter((seat) => answers[seat] === undefined || answers[seat] === null));
  }
  return new Set();
}
