// @ts-check
// How a move is asked of the server: once at a time, and with a word where the answer takes long or refuses.

import { t } from "../../shared/language.js";
import { toast } from "../view/toasts.js";

/** An answer that has not come after so long is told to be on its way. */
const PATIENCE_MS = 400;

export class Requests {
  /** @type {Set<string>} */
  #sent = new Set();

  /**
   * @param {import("../model/state.js").Store} store
   * @param {import("../net/commands.js").Commands} commands
   * @param {import("../view/hand.js").Hand} hand
   */
  constructor(store, commands, hand) {
    this.store = store;
    this.table = store.table;
    this.own = store.own;
    this.commands = commands;
    this.hand = hand;
  }

  /**
   * Asks once at a time; a refusal is shown in the server's own words. Resolves to whether it was done.
   *
   * @param {string} type
   * @param {object} [fields]
   * @param {(() => boolean) | null} [again] whether a stale one may be asked once more
   */
  async ask(type, fields = {}, again = null) {
    if (this.#sent.has(type)) return false;
    this.#sent.add(type);
    this.own.changed();
    const patience = setTimeout(() => this.own.set({ onItsWay: true }), PATIENCE_MS);
    let answer = await this.commands.ask(type, fields);
    if (!answer.ok && answer.code === "stale" && again?.()) answer = await this.commands.ask(type, fields);
    this.#sent.delete(type);
    clearTimeout(patience);
    if (!answer.ok && answer.code !== "frozen") toast(answer.message ?? t("That did not work."));
    this.own.set({ onItsWay: this.own.onItsWay && this.#sent.size > 0 });
    return answer.ok;
  }

  /** @param {string} type */
  isAsking(type) {
    return this.#sent.has(type);
  }
}
