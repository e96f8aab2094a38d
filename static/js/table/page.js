// The page is drawn whole from the store, after every change of it.

import { follow, stand } from "./input/focus.js";
import { renderBanner } from "./view/banner.js";
import { renderButtons, renderVerdict } from "./view/buttons.js";
import { renderBar, renderCentre } from "./view/centre.js";
import { renderDiscards } from "./view/discards.js";
import { afterRender, beforeRender } from "./view/events.js";
import { renderMelding } from "./view/melding.js";
import { renderPanel } from "./view/panel/panel.js";
import { renderSeats } from "./view/seats.js";
import { facts } from "./words.js";

export class Page {
  constructor(store, actions, { hand, rings, questions, reconnect }) {
    Object.assign(this, { store, actions, hand, rings, questions, reconnect });
  }

  /** `what` changed: a new "view", the "link", the "mode" of the room, or something "local". */
  render(what) {
    const { store, hand } = this;
    renderBanner(store, this.actions, this.reconnect);
    if (!store.view) return;
    const before = { places: new Map(hand.places), ...stand(hand) };
    if (what === "view") beforeRender(store, hand);
    this.#draw();
    if (store.stopped) this.questions.close();
    if (what !== "view") return;
    afterRender(store, hand, before);
    this.questions.follow();
    follow(store, hand, before);
  }

  #draw() {
    const { store, actions } = this;
    const { body } = document;
    body.classList.toggle("is-stopped", store.stopped);
    body.classList.toggle("is-watching", !store.me);
    body.dataset.phase = store.view.phase;
    renderBar(store, facts);
    renderSeats(store);
    renderMelding(store);
    renderCentre(store);
    this.hand.render();
    renderPanel(store, actions);
    renderButtons(store, actions);
    renderVerdict(store);
    renderDiscards(store);
    this.rings.tick();
  }
}
