// @ts-check
// The panel over the table between deals: result, rejoin and split questions, final accounts.

import { byId, drawnOnce, el, icon, keyed, setAttr } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { find } from "../../../shared/query.js";
import { pausedText } from "../../../shared/words.js";
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
  // The cards lie below it: no key leads to what is not seen.
  byId("hand").inert = !node.hidden;
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
 * @param {HTMLElement[]} fresh
 */
function replaceContents(node, [head, body, ...buttons]) {
  const old = node.querySelector("footer");
  const foot = old ?? el("footer");
  if (!old) node.replaceChildren(foot);
  for (const child of [...node.children]) if (child !== foot) child.remove();
  foot.before(head, body);
  keyed(
    foot,
    buttons,
    (button) => `${button.id} ${button.textContent}`,
    (button) => button,
    lookLike,
  );
}

/** @type {(old: HTMLElement, fresh: HTMLElement) => void} */
function lookLike(old, fresh) {
  old.className = fresh.className;
  setAttr(old, "disabled", fresh.getAttribute("disabled") !== null);
}

/** @type {(panel: Panel, actions: Actions, hide: () => void) => HTMLElement[]} */
function contents(panel, actions, hide) {
  const { phase, prompt, out } = panel;
  const hiding = {
    id: "hide-result",
    class: "tool panel-hide",
    type: "button",
    "aria-label": t("Hide and look at the table"),
    onclick: hide,
  };
  const cross = phase === "over" || prompt || out ? null : el("button", hiding, icon("eye"));
  const head = el("header", {}, el("h2", { text: title(panel) }), out ? null : timeLeft(panel.clock), cross);
  const body = el(
    "div",
    { id: "shown-result", class: "panel-body", tabindex: "0", "aria-label": t("Result") },
    ...parts(panel, actions),
  );
  return [head, body, ...footer(panel, actions)];
}

/** @type {(panel: Panel, actions: Actions) => Node[]} */
function parts(panel, actions) {
  const { phase, prompt, rows, out, table, deal } = panel;
  const shown = [];
  if (out) shown.push(seatedOut(panel));
  else if (prompt?.kind === "rejoin") shown.push(rejoinPrompt(prompt, panel, actions));
  else if (prompt?.kind === "split") shown.push(splitPrompt(prompt, panel, actions));
  if (!out && phase === "over") shown.push(table.tournament ? tableIsOver(table.tournament) : accounts(panel));
  if (table.tournament?.paused) shown.push(el("section", { class: "prompt" }, el("p", { text: pausedText() })));
  if (rows) shown.push(resultRows(rows, played(panel), table, panel.wildRank));
  if (table.tournament) shown.push(othersOf(table.tournament, deal));
  if (rows?.some((row) => row.mine) && deal) shown.push(el("div", { class: "after-deal" }, ...afterDeal(deal)));
  return shown;
}

/** @type {(tournament: import("../../../shared/types.js").TournamentView) => HTMLElement} */
function tableIsOver({ round, rounds }) {
  const isLast = round !== null && round === rounds;
  const text = isLast
    ? t("This table is done, and the tournament with it.")
    : t("This table is done. You are called when your next one opens, wherever you are on this site.");
  return el("section", { class: "prompt" }, el("p", { text }));
}

/** @param {import("../../../shared/types.js").ClockKind | null} clock */
function timeLeft(clock) {
  if (!clock) return null;
  const seconds = el("b", { "data-clock-text": "", role: "timer" });
  return el("p", { class: "panel-clock" }, `${CLOCKS[clock] ?? ""} `, seconds);
}
