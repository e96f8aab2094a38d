// @ts-check
// The running clock on the page: rings around the players whose time runs, and seconds wherever they are wanted.

import { byId, setText } from "../../shared/dom.js";
import { find } from "../../shared/query.js";
import { awaitedSeats } from "../model/clock.js";

/** @import { ClockView } from "../../shared/types.js" */

const TICK_MS = 200;
/** From here on the seconds stand in the ring. */
const LOW_MS = 10_000;

export class Rings {
  /**
   * `ticked` is called with the seconds left, null without a running clock.
   *
   * @param {import("../model/table.js").Table} table
   * @param {(seconds: number | null) => void} ticked
   */
  constructor(table, ticked) {
    this.table = table;
    this.ticked = ticked;
    setInterval(() => this.tick(), TICK_MS);
    this.worker = new Worker(new URL("../beat_worker.js", import.meta.url));
    this.worker.onmessage = () => document.hidden && this.tick();
  }

  /** Milliseconds left; null without a clock, and at a table that is stopped. */
  remaining() {
    return this.table.stopped ? null : this.table.timeLeft();
  }

  tick() {
    const { view } = this.table;
    if (!view) return;
    const left = this.remaining();
    const awaited = left === null ? new Set() : awaitedSeats(view);
    const nodes = /** @type {HTMLElement[]} */ ([...byId("seats").children, byId("own-seat")]);
    for (const node of nodes.filter((each) => each.dataset.seat !== undefined)) {
      const running = awaited.has(Number(node.dataset.seat)) ? view.clock : null;
      showRing(node, running, left ?? 0);
    }
    const seconds = left === null ? null : Math.ceil(left / 1000);
    for (const node of document.querySelectorAll("[data-clock-text]")) {
      setText(node, seconds === null ? "" : String(seconds));
      node.classList.toggle("is-low", seconds !== null && seconds <= 10);
    }
    this.ticked(seconds);
  }
}

/**
 * Draws the ring of one seat; without a running clock it is empty.
 *
 * @param {HTMLElement} node
 * @param {ClockView | null} clock
 * @param {number} left
 */
function showRing(node, clock, left) {
  const ring = node.querySelector(".ring");
  if (!ring) return;
  const extra = clock?.kind === "extra";
  const low = clock !== null && !extra && left <= LOW_MS;
  ring.classList.toggle("is-running", clock !== null);
  ring.classList.toggle("is-extra", extra);
  ring.classList.toggle("is-low", low);
  const part = clock ? Math.min(1, left / (clock.length_ms || 1)) : 0;
  const run = /** @type {SVGElement} */ (ring.lastChild);
  run.style.strokeDashoffset = String(100 - 100 * part);
  setText(find(node, ".ring-seconds"), extra || low ? String(Math.ceil(left / 1000)) : "");
}
