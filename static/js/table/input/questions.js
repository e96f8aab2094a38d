// Questions that come and go with the view: the one for chips, and those whose moment has passed.

import { chipsDialog, closeQuestion, isOpen } from "../view/dialogs.js";

export class Questions {
  constructor(store, actions) {
    this.store = store;
    this.actions = actions;
    this.offered = null;
  }

  /** What a new view calls for beside drawing: the seed, an end of questions, a question for chips. */
  follow() {
    this.actions.seed();
    this.close();
    this.#offerChips();
  }

  /** A question whose turn is over asks no more. */
  close() {
    const { store } = this;
    if (!store.can("draw") && !store.can("discard")) closeQuestion("turn-question");
    if (!store.can("submit")) closeQuestion("meld-question");
  }

  /** Once for each deal and stack that does not suffice for the next one. */
  #offerChips() {
    const { store } = this;
    const { table: terms, phase, result } = store.view;
    const stack = store.seat(store.me?.seat)?.stack ?? 0;
    const short = store.can("add_chips") && stack < terms.minimum;
    const key = `${result?.deal ?? phase}-${stack}`;
    if (!short || ["playing", "melding"].includes(phase) || this.offered === key || isOpen()) return;
    this.offered = key;
    chipsDialog(store, this.actions);
  }
}
