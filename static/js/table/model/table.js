// @ts-check
// The table as the server told of it last, over a line that may be open or not. Nothing that the page does changes it.

import { awaitedSeats, remaining } from "./clock.js";

/** @import { StateFrame, TableEvent, View } from "../../shared/types.js" */
/** @typedef {import("../net/socket.js").Status} Link */
/** @typedef {Table & {view: View}} ShownTable A table of which a view has come. */

export class Table {
  /** @type {View | null} */
  view = null;
  version = -1;
  receivedAt = 0;
  /** @type {TableEvent[]} What happened between the view before and this one. */
  events = [];
  /** @type {Link} */
  link = "connecting";
  /** @type {"" | "stopped" | "waiting"} Why nothing moves here: staff have stopped it, or its result waits. */
  halted = "";
  /** Whether the next frame counts whatever its version: the first after a reconnect. */
  #fresh = false;

  /** @param {Link} status */
  setLink(status) {
    this.link = status;
    if (status === "open") this.#fresh = true;
  }

  /**
   * Takes a state frame; false for an older one than is shown, which is dropped.
   *
   * @param {Pick<StateFrame, "version" | "events" | "view">} frame
   */
  take({ version, events, view }) {
    if (!this.#fresh && version < this.version) return false;
    this.#fresh = false;
    const waiting = this.halted === "waiting" && version === this.version ? "waiting" : "";
    this.halted = view.table.stopped ? "stopped" : waiting;
    this.events = this.view && version > this.version ? events : [];
    this.version = version;
    this.view = view;
    this.receivedAt = performance.now();
    return true;
  }

  get me() {
    return this.view?.me ?? null;
  }

  /** Whether the table waits for the player, by what was last heard of it. */
  get awaited() {
    return Boolean(this.view?.me && awaitedSeats(this.view).has(this.view.me.seat));
  }

  /** Milliseconds left of what runs; null without a clock. */
  timeLeft() {
    return remaining(this.view?.clock, performance.now() - this.receivedAt);
  }

  get stopped() {
    return this.halted !== "";
  }

  /** @param {string} move */
  can(move) {
    return Boolean(this.me?.moves?.includes(move)) && this.link === "open" && !this.stopped;
  }

  /** To finish now is to show all thirteen cards, without having drawn. */
  get showsUndrawn() {
    return this.can("finish") && this.can("draw");
  }

  /** @param {number | null | undefined} number */
  seat(number) {
    return seatOf(this.view, number);
  }

  /**
   * Whether a row of a result is the player's own: their seat may have been another's then.
   *
   * @param {{seat: number, name: string | null}} row
   */
  isMine(row) {
    return isOwnRow(this.view, row);
  }
}

/** @type {(view: View | null, number: number | null | undefined) => View["seats"][number] | null} */
const seatOf = (view, number) => view?.seats.find((seat) => seat.seat === number) ?? null;

/** @type {(view: View | null, row: {seat: number, name: string | null}) => boolean} */
const isOwnRow = (view, row) => row.seat === view?.me?.seat && row.name === seatOf(view, row.seat)?.name;

/**
 * The rows of the result in a view, each with whether it is the player's own.
 *
 * @param {View} view
 */
export const rowsOf = (view) => view.result?.rows.map((row) => ({ ...row, mine: isOwnRow(view, row) })) ?? null;
