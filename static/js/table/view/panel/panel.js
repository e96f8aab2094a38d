// @ts-check
// The panel over the table between deals: result, rejoin and split questions, final accounts.

import { byId, drawnOnce, el, icon } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { find } from "../../../shared/query.js";
import { othersOf } from "../../tournament.js";
import { accounts } from "./accounts.js";
import { afterDeal, footer } from "./footer.js";
import { title } from "./outcome.js";
import { rejoinPrompt, splitPrompt } from "./prompts.js";
import { resultRows } from "./result.js";
import { seatedOut } from "./seated_out.js";
import { isPutAway, isWanted, keyOf, panelOf, played } from "./shown.js";

/** @import { Shown } from "../../model/state.js" */
/** @import { Panel } from "./shown.js" */
/** @import { Actions } from "../../input/actions.js" */

/** @type {Record<string, string>} */
const CLOCKS = {
  result: t("Next deal in"),
  rejoin: t("Time to decide"),
  split: t("Time to answer"),
  start: t("Next deal in"),
};

/** @type {(store: Shown, actions: Actions) => void} */
export function renderPanel(store, actions) {
  const node = byId("panel");
  const panel = panelOf(store);
  node.hidden = !isWanted(panel) || isPutAway(panel, store.own.panelClosed);
  document.body.classList.toggle("has-panel", !node.hidden);
  if (node.hidden) return;
  drawnOnce(node, panel, (shown) => {
    const hide = () => store.own.set({ panelClosed: keyOf(shown) });
    keepingPlace(node, () => replaceContents(node, contents(shown, actions, hide)));
  });
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
 * Buttons that stay stay in place: one that is drawn anew under the finger cannot be pressed.
 *
 * @param {HTMLElement} node
 * @param {Contents} fresh
 */
function replaceContents(node, fresh) {
  const [head, body, below] = fresh;
  const old = node.querySelector("footer");
  if (!old) return void node.replaceChildren(head, body, below);
  for (const child of [...node.children]) if (child !== old) child.remove();
  old.before(head, body);
  /** @param {Element} child */
  const keyOfChild = (child) => `${child.id} ${child.textContent}`;
  const kept = new Map([...old.children].map((child) => [keyOfChild(child), child]));
  const wanted = [...below.children].map((child) => staying(kept.get(keyOfChild(child)), child));
  for (const child of kept.values()) if (!wanted.includes(child)) child.remove();
  wanted.forEach((child, place) => {
    if (old.children[place] !== child) old.insertBefore(child, old.children[place] ?? null);
  });
}

/** @type {(old: Element | undefined, fresh: Element) => Element} The old one, looking like the fresh one, if it stays. */
function staying(old, fresh) {
  if (!old) return fresh;
  old.className = fresh.className;
  if (fresh.getAttribute("disabled") === null) old.removeAttribute("disabled");
  else old.setAttribute("disabled", "");
  return old;
}

/** @typedef {[HTMLElement, HTMLElement, HTMLElement]} Contents */

/** @type {(panel: Panel, actions: Actions, hide: () => void) => Contents} */
function contents(panel, actions, hide) {
  const { phase, prompt, out } = panel;
  const hiding = {
    class: "tool panel-hide",
    type: "button",
    "aria-label": t("Hide and look at the table"),
    onclick: hide,
  };
  const cross = phase === "over" || prompt || out ? null : el("button", hiding, icon("eye"));
  const head = el("header", {}, el("h2", { text: title(panel) }), out ? null : timeLeft(panel.clock), cross);
  const body = el("div", { class: "panel-body", tabindex: "0", "aria-label": t("Result") }, ...parts(panel, actions));
  return [head, body, el("footer", {}, ...footer(panel, actions))];
}

/** @type {(panel: Panel, actions: Actions) => Node[]} */
function parts(panel, actions) {
  const { phase, prompt, rows, out, table, deal } = panel;
  const shown = [];
  if (out) shown.push(seatedOut(panel));
  else if (prompt?.kind === "rejoin") shown.push(rejoinPrompt(prompt, panel, actions));
  else if (prompt?.kind === "split") shown.push(splitPrompt(prompt, panel, actions));
  if (!out && phase === "over") shown.push(table.tournament ? tableIsOver() : accounts(panel));
  if (rows) shown.push(resultRows(rows, played(panel), table, panel.wildRank));
  if (table.tournament) shown.push(othersOf(table.tournament, deal));
  if (rows?.some((row) => row.mine) && deal) shown.push(el("div", { class: "after-deal" }, ...afterDeal(deal)));
  return shown;
}

const tableIsOver = () =>
  el(
    "section",
    { class: "prompt" },
    el("p", { text: t("This table is done. You are called when your next one opens, wherever you are on this site.") }),
  );

/** @param {import("../../../shared/types.js").ClockKind | null} clock */
function timeLeft(clock) {
  if (!clock) return null;
  const seconds = el("b", { "data-clock-text": "", role: "timer" });
  return el("p", { class: "panel-clock" }, `${CLOCKS[clock] ?? ""} `, seconds);
}
