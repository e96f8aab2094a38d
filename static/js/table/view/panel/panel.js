// @ts-check
// The panel over the table between deals: result, rejoin and split questions, final accounts.

import { byId, el, find, icon } from "../../dom.js";
import { t } from "../../language.js";
import { accounts } from "./accounts.js";
import { footer } from "./footer.js";
import { played } from "./names.js";
import { title } from "./outcome.js";
import { rejoinPrompt, splitPrompt } from "./prompts.js";
import { resultRows } from "./result.js";

/** @typedef {import("../../model/state.js").Shown} Shown */
/** @typedef {import("../../input/actions.js").Actions} Actions */

const SHOWN_IN = new Set(["result", "rejoin", "split", "over"]);
/** @type {Record<string, string>} */
const CLOCKS = {
  result: t("Next deal in"),
  rejoin: t("Time to decide"),
  split: t("Time to answer"),
  start: t("Next deal in"),
};

/** @type {(store: Shown, actions: Actions) => void} */
export function renderPanel(store, actions) {
  const { view } = store;
  const node = byId("panel");
  const wanted = SHOWN_IN.has(view.phase) && (view.result || view.prompt || view.phase === "over");
  const key = `${view.phase}-${view.deal?.id ?? ""}`;
  store.panelHidden = Boolean(wanted && store.panelClosed === key && !view.prompt);
  node.hidden = !wanted || store.panelHidden;
  document.body.classList.toggle("has-panel", !node.hidden);
  if (node.hidden) return;
  const signature = signatureOf(store);
  if (node.dataset.signature === signature) return;
  node.dataset.signature = signature;
  keepingPlace(node, () =>
    replaceContents(
      node,
      contents(store, actions, () => store.hidePanel(key)),
    ),
  );
}

/**
 * All that the panel shows: it is drawn anew only where this differs.
 *
 * @param {Shown} store
 */
function signatureOf({ view, link, stopped }) {
  const { phase, result, prompt, accounts: paid, me, seats } = view;
  return JSON.stringify([phase, result, prompt, paid, me?.moves, link, stopped, seats]);
}

/**
 * What is scrolled stays scrolled, and what has the focus keeps it.
 *
 * @param {HTMLElement} node
 * @param {() => void} draw
 */
function keepingPlace(node, draw) {
  const keep = document.activeElement?.id;
  const scrolled = node.querySelector(".panel-body")?.scrollTop ?? 0;
  draw();
  find(node, ".panel-body").scrollTop = scrolled;
  const again = keep ? document.getElementById(keep) : null;
  if (again && node.contains(again)) again.focus({ preventScroll: true });
}

/**
 * Buttons that stay the same stay in place: one that is drawn anew under the finger cannot be pressed.
 *
 * @param {HTMLElement} node
 * @param {Contents} fresh
 */
function replaceContents(node, fresh) {
  const [head, body, below] = fresh;
  const old = node.querySelector("footer");
  if (old?.outerHTML !== below.outerHTML) return void node.replaceChildren(head, body, below);
  for (const child of [...node.children]) if (child !== old) child.remove();
  old.before(head, body);
}

/** @typedef {[HTMLElement, HTMLElement, HTMLElement]} Contents */

/** @type {(store: Shown, actions: Actions, hide: () => void) => Contents} */
function contents(store, actions, hide) {
  const { view } = store;
  const hiding = {
    class: "tool panel-hide",
    type: "button",
    "aria-label": t("Hide and look at the table"),
    onclick: hide,
  };
  const cross = view.phase === "over" || view.prompt ? null : el("button", hiding, icon("eye"));
  const head = el("header", {}, el("h2", { text: title(store) }), timeLeft(view.clock), cross);
  const body = el("div", { class: "panel-body", tabindex: "0", "aria-label": t("Result") });
  if (view.prompt?.kind === "rejoin") body.append(rejoinPrompt(view.prompt, store, actions));
  if (view.prompt?.kind === "split") body.append(splitPrompt(view.prompt, store, actions));
  if (view.phase === "over") body.append(accounts(store));
  if (view.result) body.append(resultRows(view.result, played(store), view.table, view.deal?.wild_rank ?? null));
  return [head, body, el("footer", {}, ...footer(store, actions))];
}

/** @param {import("../../types.js").ClockView | null} clock */
function timeLeft(clock) {
  if (!clock) return null;
  const seconds = el("b", { "data-clock-text": "", role: "timer" });
  return el("p", { class: "panel-clock" }, `${CLOCKS[clock.kind] ?? ""} `, seconds);
}
