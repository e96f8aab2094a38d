// @ts-check
// Small windows over the table, as native dialogs: focus is kept and given back by the browser.

import { el, icon } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { find } from "../../../shared/query.js";

/** @import { Child } from "../../../shared/dom.js" */

/**
 * A button that closes the window with a value; `focus` where it has the focus at first.
 *
 * @typedef {{text: string, value: string, class?: string, focus?: boolean}} Choice
 */

/** @type {HTMLDialogElement | null} */
let openNow = null;

/**
 * A window with a title; resolves to the value of the button that closed it ("" for Esc or the cross).
 *
 * @param {string} title
 * @param {Child[]} body
 * @param {Choice[]} [choices]
 * @param {string} [name] by which a question is known whose moment can pass
 * @returns {Promise<string>}
 */
export function show(title, body, choices = [], name = "") {
  closeWindow();
  const dialog = build(title, body, choices, name);
  document.body.append(dialog);
  openNow = dialog;
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      if (openNow === dialog) openNow = null;
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

/** @type {(title: string, body: Child[], choices: Choice[], name: string) => HTMLDialogElement} */
function build(title, body, choices, name) {
  const close = (value = "") => dialog.close(value);
  const cross = { class: "tool dialog-cross", type: "button", "aria-label": t("Close"), onclick: () => close() };
  const row = choices.map(({ text, value, focus, class: look = "" }) =>
    el("button", { class: `act ${look}`, type: "button", autofocus: focus, text, onclick: () => close(value) }),
  );
  const dialog = el(
    "dialog",
    { class: `window ${name}`, "aria-labelledby": "dialog-title" },
    el("header", {}, el("h2", { text: title, id: "dialog-title" }), el("button", cross, icon("close"))),
    el("div", { class: "window-body" }, ...body),
    row.length > 0 ? el("footer", {}, ...row) : null,
  );
  // What can only be read is scrolled by keys as well.
  const inside = find(dialog, ".window-body");
  if (!inside.querySelector("a, button, input, select")) inside.tabIndex = 0;
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  return dialog;
}

export const isOpen = () => openNow !== null;

export function closeWindow() {
  openNow?.close("");
}

/**
 * Closes a question whose moment has passed.
 *
 * @param {string} name
 */
export function closeQuestion(name) {
  if (openNow?.classList.contains(name)) closeWindow();
}

/** @type {(text: string) => HTMLElement} */
export const paragraph = (text) => el("p", { text });
