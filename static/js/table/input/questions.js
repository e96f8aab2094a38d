// @ts-check
// Questions that come and go with the view: the one for chips, and those whose moment has passed.

import { chipsDialog } from "../view/dialogs/menu.js";
import { closeQuestion, isOpen } from "../view/dialogs/window.js";

export class Questions {
  /**
   * @param {import("../model/state.js").Store} store
   * @param {import("./actions.js").Actions} actions
   */
  constructor(store, actions) {
    this.store = store;
    this.actions = actions;
    this.offered = "";
  }

  /** What a new view calls for beside drawing: the seed, an end of questions, a question for chips. */
  follow() {
    const { view } = this.store;
    if (!view) return;
    this.actions.seed();
    this.close();
    this.#offerChips(view);
  }

  /** A question whose moment has passed asks no more. */
  close() {
    const { store } = this;
    if (!store.can("draw") && !store.can("discard")) closeQuestion("turn-question");
    if (!store.can("submit")) closeQuestion("meld-question");
    if (!store.can("add_chips")) closeQuestion("chips-question");
    if (!store.can("leave")) closeQuestion("leave-question");
  }

  /**
   * Once for each deal and stack that does not suffice for the next one.
   *
   * @param {import("../../shared/types.js").View} view
   */
  #offerChips(view) {
    const { store } = this;
    const { table: terms, phase, result } = view;
    const stack = store.seat(store.me?.seat)?.stack ?? 0;
    const short = store.can("add_chips") && terms.minimum !== null && stack < terms.minimum;
    const key = `${result?.deal ?? phase}-${stack}`;
    if (!short || ["playing", "melding"].includes(phase) || this.offered === key || isOpen()) return;
    this.offered = key;
    chipsDialog(store, this.actions);
  }
}
