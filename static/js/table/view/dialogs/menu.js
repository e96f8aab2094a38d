// @ts-check
// The menu, and the windows that it opens: chips, keys, fairness.

import { el, icon, pageData } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { KEYS, needsText } from "../../../shared/words.js";
import { settingsDialog } from "./settings.js";
import { closeWindow, paragraph, show } from "./window.js";

/** @import { Table } from "../../model/table.js" */
/** @import { Actions } from "../../input/actions.js" */

const FAIRNESS = t(
  "Before the cards are dealt the table fixes its secret seed and shows its seal. Your browser and those of the other players add chance of their own. After the deal the seed is opened, and anyone who played can check the shoe against the seal.",
);
const FIXED = t(
  "These cards are the same for everybody who plays them. Their secret seed was fixed beforehand, when this seal was published; no browser adds anything. Once nobody may play them any more the seed is opened, and anyone can check the shoe against the seal.",
);

const FINGERS_ONLY = matchMedia("(hover: none) and (pointer: coarse)");

/**
 * Asks how many chips shall come onto the table, at first as many as a deal still needs.
 *
 * @param {Table} table
 * @param {Actions} actions
 */
export async function chipsDialog(table, actions) {
  const terms = table.view?.table;
  const stack = table.seat(table.me?.seat)?.stack ?? 0;
  if (!terms) return;
  const whole = 10 ** terms.money.digits;
  const needed = terms.minimum ?? 0;
  const value = (Math.max(needed - stack, 0) || needed) / whole;
  const limits = { min: 1 / whole, step: 1 / whole, value, required: true };
  const input = el("input", { type: "number", id: "chips-amount", inputmode: "decimal", ...limits });
  const body = [
    paragraph(needsText(stack, needed, terms.money)),
    el("label", { for: "chips-amount", text: t("Add from your balance") }),
    input,
  ];
  const add = { text: t("Add"), value: "yes", class: "is-main" };
  const done = await show(t("Add chips"), body, [{ text: t("Not now"), value: "" }, add], "chips-question");
  const amount = Math.round(Number(input.value) * whole);
  if (done === "yes" && amount > 0) actions.addChips(amount);
}

export function helpDialog() {
  const rows = KEYS.map(([key, text]) => el("div", {}, el("dt", {}, el("kbd", { text: key })), el("dd", { text })));
  return show(t("Keys"), [el("dl", { class: "keys" }, ...rows)]);
}

/** @param {Table} table */
export function fairDialog({ view }) {
  const deal = view?.next_deal ?? view?.deal;
  const body = [
    paragraph(pageData("series") ? FIXED : FAIRNESS),
    el("label", { text: t("Seal of this deal") }),
    el("code", { class: "seal", text: deal?.commitment ?? t("Shown as soon as a deal is prepared.") }),
  ];
  if (deal) body.push(el("p", { class: "fine", text: t("Deal #{id}", { id: deal.id }) }));
  return show(t("Fair deal"), body);
}

/**
 * The menu: everything that has no button of its own on a small screen.
 *
 * @param {Table} table
 * @param {Actions} actions
 * @param {Record<"sheet" | "last" | "discards" | "fair", () => unknown>} open
 */
export async function menuDialog(table, actions, open) {
  /** @type {(page: string) => () => unknown} */
  const page = (name) => () => window.open(pageData(name), "_blank", "noopener");
  const rows = [
    row("sheet", t("Score sheet"), open.sheet),
    row("last", t("Last deal"), open.last),
    row("discards", t("Discards by player"), open.discards),
    row("fair", t("Fair deal"), open.fair),
    row("rules", t("Rules of this game"), page("rules")),
    ...(FINGERS_ONLY.matches ? [] : [row("help", t("Keys"), helpDialog)]),
    ...(table.can("add_chips") ? [row("chip", t("Add chips"), () => chipsDialog(table, actions))] : []),
    row("colours", t("Settings"), settingsDialog),
    row("fair", t("Safety and complaints"), page("safety")),
    row("help", t("Who runs this place"), page("about")),
    row("leave", table.me ? t("Leave the table") : t("Back to the lobby"), () => actions.leave()),
  ];
  await show(t("Menu"), [el("div", { class: "menu-rows" }, ...rows)], [], "menu-window");
}

/** @type {(name: string, text: string, run: () => unknown) => HTMLElement} */
function row(name, text, run) {
  const onclick = () => {
    closeWindow();
    run();
  };
  return el("button", { class: "menu-row", type: "button", onclick }, icon(name), el("span", { text }));
}
