// @ts-check
// Asks once, while the player waits anyway, whether this device may call them: a card with two buttons, never a prompt.

import { byId, el } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { allow, canAsk } from "../shared/notices.js";
import { change, settings } from "../shared/settings.js";

const TEXT = t(
  "Shall we call you when the table waits for you and you are looking elsewhere? This device then shows a notice.",
);
/** Phases in which the player has nothing to do but to wait, or to look at the result. */
const CALM = new Set(["waiting", "result"]);

/** @param {import("./model/state.js").Store} store */
export function askToCall(store) {
  store.subscribe(() => {
    const calm = store.table.me !== null && CALM.has(store.table.view?.phase ?? "");
    const card = byId("asking");
    card.hidden = !calm || settings.asked || !canAsk();
    if (!card.hidden && !card.firstChild) card.append(...contents(card));
  });
}

/** @param {HTMLElement} card */
function contents(card) {
  const answer = (/** @type {boolean} */ yes) => {
    change("asked", true);
    card.hidden = true;
    if (yes) allow();
  };
  const button = (/** @type {string} */ text, /** @type {boolean} */ yes) =>
    el("button", { class: `act${yes ? " is-main" : ""}`, type: "button", onclick: () => answer(yes) }, text);
  return [el("p", { text: TEXT }), button(t("Not now"), false), button(t("Call me"), true)];
}
