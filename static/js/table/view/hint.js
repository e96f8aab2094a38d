// @ts-check
// The hint of a first deal: the server's sentence for this moment, until its reader wants no more of them. The cards it
// speaks of are lifted in the hand; "Show me" lays the groups that came with it.

import { byId, drawnOnce, el } from "../../shared/dom.js";
import { t } from "../../shared/language.js";

/** @import { Shown } from "../model/state.js" */
/** @import { Actions } from "../input/actions.js" */

/** @type {(store: Shown, actions: Actions) => void} */
export function renderHint(store, actions) {
  const box = byId("hint");
  const hint = store.own.hint(store.table);
  box.hidden = !hint;
  if (hint)
    drawnOnce(box, hint, (shown) =>
      box.replaceChildren(...contents(shown, () => store.own.set({ wantsHints: false }), actions)),
    );
}

/** @typedef {{text: string, why: string, shows: boolean}} Hint */

/** @type {(hint: Hint, dismiss: () => void, actions: Actions) => HTMLElement[]} */
function contents({ text, why, shows }, dismiss, actions) {
  const more = el("p", { class: "hint-why", text: why });
  const explain = () => {
    const open = more.classList.toggle("is-open");
    asks.setAttribute("aria-expanded", String(open));
  };
  const asks = el("button", { ...BUTTON, class: "hint-ask", "aria-label": WHY, "aria-expanded": "false", text: "?" });
  // Where the explanation opens over the piles, a press on it uncovers them.
  for (const pressed of [asks, more]) pressed.addEventListener("click", explain);
  const showMe = { ...BUTTON, class: "act hint-show", text: t("Show me"), onclick: () => actions.showMe() };
  const close = { ...BUTTON, class: "hint-close", "aria-label": t("No more hints"), text: "×", onclick: dismiss };
  return [
    el("p", { class: "hint-text", text }),
    more,
    ...(shows ? [el("button", showMe)] : []),
    asks,
    el("button", close),
  ];
}

const BUTTON = { type: "button" };
const WHY = t("Why?");
