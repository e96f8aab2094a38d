// The running clock on the page: rings around the players whose time runs, and seconds wherever they are wanted.

import { byId } from "../dom.js";
import { awaitedSeats, remaining } from "../model/clock.js";

const TICK_MS = 100;

export class Rings {
  /** `lastSeconds(seconds)` is called once for each of the last five seconds of the player's own time to act. */
  constructor(store, lastSeconds) {
    this.store = store;
    this.lastSeconds = lastSeconds;
    this.said = null;
    setInterval(() => this.tick(), TICK_MS);
  }

  /** Milliseconds left; null without a clock, and at a table that is stopped. */
  remaining() {
    const { store } = this;
    return store.stopped ? null : remaining(store.view?.clock, performance.now() - store.receivedAt);
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
