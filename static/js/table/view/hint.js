// @ts-check
// The hint of a first deal: the server's sentence for this moment, until its reader wants no more of them.

import { byId, el, find, setText } from "../dom.js";
import { t } from "../language.js";

/** @typedef {import("../model/state.js").Shown} Shown */

let wanted = true;

/** @param {Shown} store */
export function renderHint(store) {
  const box = byId("hint");
  const text = (wanted && !store.stopped && store.view.me?.hint) || "";
  if (!box.firstChild) build(box, () => renderHint(store));
  box.hidden = !text;
  setText(find(box, "p"), text);
}

/** @type {(box: HTMLElement, redraw: () => void) => void} */
function build(box, redraw) {
  const close = () => {
    wanted = false;
    redraw();
  };
  const attributes = {
    type: "button",
    class: "hint-close",
    "aria-label": t("No more hints"),
    text: "×",
    onclick: close,
  };
  box.append(el("p", {}), el("button", attributes));
}
