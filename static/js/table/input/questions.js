// @ts-check
// Questions that come and go with the view: the one for chips, and those whose moment has passed.

import { chipsDialog } from "../view/dialogs/menu.js";
import { closeQuestion, isOpen } from "../view/dialogs/window.js";

export class Questions {
  /**
   * @param {import("../model/table.js").Table} table
   * @param {import("./actions.js").Actions} actions
   */
  constructor(table, actions) {
    this.table = table;
    this.actions = actions;
    this.offered = "";
  }

  /** What a new view calls for beside drawing: the seed, an end of questions, a question for chips. */
  follow() {
    const { view } = this.table;
    if (!view) return;
    this.actions.seed();
    this.close();
    this.#offerChips(view);
  }

  /** A question whose moment has passed asks no more. */
  close() {
    const { table } = this;
    if (!table.can("draw") && !table.can("discard")) closeQuestion("turn-question");
    if (!table.can("submit")) closeQuestion("meld-question");
    if (!table.can("add_chips")) closeQuestion("chips-question");
    if (!table.can("leave")) closeQuestion("leave-question");
  }

  /**
   * Once for each deal and stack that does not suffice for the next one.
   *
   * @param {import("../../shared/types.js").View} view
   */
  #offerChips(view) {
    const { table } = this;
    const { table: terms, phase, result } = view;
    const stack = table.seat(table.me?.seat)?.stack ?? 0;
    const short = table.can("add_chips") && terms.minimum !== null && stack < terms.minimum;
    const key = `${result?.deal ?? phase}-${stack}`;
    if (!short || ["playing", "melding"].includes(phase) || this.offered === key || isOpen()) return;
    this.offered = key;
    chipsDialog(table, this.actions);
  }
}
