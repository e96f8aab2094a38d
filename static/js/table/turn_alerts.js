// @ts-check
// Calls the player who is awaited: by title and icon, sounds, and, while they look elsewhere, by a notice.

import { buzz, clearNotice, notify } from "../shared/notices.js";
import { play } from "../shared/sounds.js";
import { secondsText, showAttention } from "../shared/title_alert.js";
import { callText, heading } from "../shared/words.js";
import { callOf } from "./model/calls.js";
import { isFramed, reportToParent } from "./parent_page.js";
import { statusText } from "./view/centre.js";

/** @import { Call } from "./model/calls.js" */
/** @import { Shown, Store } from "./model/state.js" */

/** So many seconds before the end the player hears of it once, and each of the last ones. */
const HURRY = 10;
const LAST = 5;

export class Caller {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    /** The last call, by its clock, and the last warning of that clock. */
    this.lastCall = "";
    this.lastWarning = "";
  }

  /**
   * Follows the clock: called with each tick, null without a running clock.
   *
   * @param {number | null} seconds
   */
  tick(seconds) {
    const { view } = this.store.table;
    if (!view) return;
    const store = /** @type {Shown} */ (this.store);
    const call = store.table.stopped ? null : callOf(view);
    if (call) this.#call(call, seconds, view.clock?.deadline ?? 0);
    else this.#rest();
    const title = view.table.title || heading(view.table);
    this.#show(call, seconds, title);
    const [status] = statusText(store);
    reportToParent({
      table: view.table.id,
      title,
      status: call ? this.#text(call) : status,
      seconds,
      call,
      practice: view.table.practice,
    });
  }

  /** @type {(call: Call, seconds: number | null, deadline: number) => void} */
  #call(call, seconds, deadline) {
    const key = `${call}-${deadline}`;
    if (this.lastCall !== key) {
      this.lastCall = key;
      if (document.hidden) this.#callElsewhere(call, seconds);
    }
    if (!document.hidden) clearNotice();
    if (seconds !== null && (call === "turn" || call === "submit")) this.#warn(key, seconds);
  }

  /** @type {(call: Call, seconds: number | null) => void} */
  #callElsewhere(call, seconds) {
    if (call !== "turn" && call !== "start") play("turn");
    buzz();
    const left = seconds === null ? "" : ` · ${secondsText(seconds)}`;
    notify(this.store.table.view?.table.title ?? "", `${this.#text(call)}${left}`);
  }

  /** @type {(key: string, seconds: number) => void} */
  #warn(key, seconds) {
    const warning = seconds <= LAST ? `${key}-${seconds}` : `${key}-hurry`;
    if (seconds > HURRY || seconds < 1 || this.lastWarning === warning) return;
    this.lastWarning = warning;
    play(seconds <= LAST ? "second" : "hurry");
    if (seconds > LAST && document.hidden) buzz();
  }

  /** @param {Call} call */
  #text(call) {
    return callText(call, this.store.table.view?.table);
  }

  #rest() {
    if (this.lastCall) clearNotice();
    this.lastCall = "";
  }

  /** @type {(call: Call | null, seconds: number | null, title: string) => void} */
  #show(call, seconds, title) {
    if (isFramed()) return;
    const away = document.hidden && call ? seconds : null;
    const what = call && (call !== "start" || away !== null) ? `${this.#text(call)} · ` : "";
    showAttention(`${what}${title} · Thirteen`, away);
  }
}
