// @ts-check
// The page is drawn whole from the store, after every change of it.

import { follow, stand } from "./input/focus.js";
import { renderBanner } from "./view/banner.js";
import { renderButtons, renderVerdict } from "./view/buttons.js";
import { renderBar, renderCentre } from "./view/centre.js";
import { renderDiscards } from "./view/discards.js";
import { afterRender, beforeRender, tellGroups } from "./view/events.js";
import { renderHint } from "./view/hint.js";
import { renderMelding } from "./view/melding.js";
import { renderPanel } from "./view/panel/panel.js";
import { renderSeats } from "./view/seats.js";

/** @import { Shown } from "./model/state.js" */

/**
 * What is drawn by itself, and what comes with a view beside drawing.
 *
 * @typedef {Object} Parts
 * @property {import("./view/hand.js").Hand} hand
 * @property {import("./view/rings.js").Rings} rings
 * @property {import("./input/questions.js").Questions} questions
 * @property {() => void} reconnect
 */

export class Page {
  /**
   * @param {import("./model/state.js").Store} store
   * @param {import("./input/actions.js").Actions} actions
   * @param {Parts} parts
   */
  constructor(store, actions, parts) {
    this.store = store;
    this.actions = actions;
    this.parts = parts;
  }

  /** @param {import("./model/state.js").Change} what */
  render(what) {
    const { hand, questions, reconnect } = this.parts;
    renderBanner(this.store, reconnect);
    if (!this.store.table.view) return;
    const store = /** @type {Shown} */ (this.store);
    const before = { places: new Map(hand.places), ...stand(hand) };
    if (what === "view") beforeRender(store.table, hand);
    this.#draw(store);
    if (store.table.stopped) questions.close();
    if (what === "view") {
      afterRender(store, hand, before);
      questions.follow();
    }
    follow(store.table, hand, before, what === "view" ? store.table.events : []);
  }

  /** @param {Shown} store */
  #draw(store) {
    const { actions } = this;
    const { hand, rings } = this.parts;
    const { body } = document;
    const { table } = store;
    body.classList.toggle("is-stopped", table.stopped);
    body.classList.toggle("is-watching", !table.me);
    body.dataset.phase = table.view.phase;
    renderBar(table);
    renderSeats(store, actions);
    renderMelding(store);
    renderCentre(store);
    hand.render();
    tellGroups(store);
    renderPanel(store, actions);
    renderButtons(store, actions);
    renderVerdict(store);
    renderHint(store, actions);
    renderDiscards(table);
    rings.tick();
  }
}
