// @ts-check
// The questions between deals, a rejoin and a split, as those see them who are asked and those who wait.

import { el } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { chips, money, plural } from "../../../shared/words.js";
import { can, nameOf } from "./shown.js";

/** @import { Panel } from "./shown.js" */
/** @import { Actions } from "../../input/actions.js" */
/** @import { RejoinPrompt, SplitPrompt, TableView } from "../../../shared/types.js" */

/** @type {(prompt: RejoinPrompt, panel: Panel, actions: Actions) => HTMLElement} */
export function rejoinPrompt(prompt, panel, actions) {
  const { table } = panel;
  const mine = can(panel, "rejoin");
  const names = prompt.seats.map((seat) => nameOf(panel, seat)).join(", ");
  const price = chips(prompt.price, table.money);
  const score = plural(prompt.score, "point");
  const text = mine
    ? t("You are out. For {price} you come back with {score}.", { price, score })
    : t("{names} may come back for {price} with {score}.", { names, price, score });
  const buttons = [
    button("rejoin-no", t("No, thanks"), () => actions.rejoin(false)),
    button(
      "rejoin-yes",
      t("Rejoin for {price}", { price: money(prompt.price, table.money) }),
      () => actions.rejoin(true),
      "is-main",
    ),
  ];
  return el("section", { class: "prompt" }, el("p", { text }), row(mine ? buttons : []));
}

/** @type {(prompt: SplitPrompt, panel: Panel, actions: Actions) => HTMLElement} */
export function splitPrompt(prompt, panel, actions) {
  const { table } = panel;
  const prize = chips(table.prize ?? 0, table.money);
  const text =
    prompt.by === panel.mySeat
      ? t("You offer to split the prize of {prize}. All must agree.", { prize })
      : t("{name} offers to split the prize of {prize}. All must agree.", { name: nameOf(panel, prompt.by), prize });
  const buttons = [
    button("split-no", t("Play on"), () => actions.answerSplit(false), "is-grave"),
    button("split-yes", t("Accept the split"), () => actions.answerSplit(true), "is-main"),
  ];
  return el(
    "section",
    { class: "prompt" },
    el("p", { text }),
    splitTable(prompt, panel),
    row(can(panel, "answer_split") ? buttons : []),
  );
}

/** @type {(prompt: SplitPrompt, panel: Panel) => HTMLElement} */
function splitTable(prompt, panel) {
  const { table } = panel;
  const head = [t("Player"), t("Drops left"), t("Equal part + extra drops"), t("Gets"), t("Answer")];
  const lines = prompt.lines.map((line) => {
    const vote = voteOf(prompt, line.seat);
    return el(
      "div",
      { class: "split-row", role: "row" },
      cell(nameOf(panel, line.seat), "split-name"),
      cell(String(line.drops)),
      cell(shareOf(line, table)),
      cell(money(line.share, table.money), "split-share"),
      cell(VOTES[vote], `vote is-${vote}`),
      el("span", { role: "cell", class: "split-why", text: line.why }),
    );
  });
  const headed = head.map((text) => el("span", { role: "columnheader", text }));
  headed.push(el("span", { role: "columnheader", class: "visually-hidden", text: t("How the shares are worked out") }));
  return el(
    "div",
    { class: "split", role: "table" },
    el("div", { class: "split-row split-head", role: "row" }, ...headed),
    ...lines,
  );
}

/**
 * The share as it comes about: the equal part, and what the drops are worth that the others do not have.
 *
 * @param {import("../../../shared/types.js").SplitLineView} line
 * @param {TableView} table
 */
function shareOf({ share, excess, excess_amount: extra }, { money: unit }) {
  if (extra <= 0) return money(share, unit);
  return `${money(share - extra, unit)} + ${excess} × ${money(extra / excess, unit)}`;
}

const VOTES = { open: "…", agrees: t("agrees"), refuses: t("refuses") };

/**
 * Who offers a split agrees to it.
 *
 * @param {SplitPrompt} prompt
 * @param {number} seat
 */
function voteOf({ answers, by }, seat) {
  const answer = answers[seat] ?? (seat === by ? true : null);
  if (answer === null) return "open";
  return answer ? "agrees" : "refuses";
}

/** @type {(text: string, name?: string) => HTMLElement} */
const cell = (text, name = "") => el("span", { role: "cell", class: name, text });

/** @type {(buttons: HTMLElement[]) => HTMLElement} */
const row = (buttons) => el("div", { class: "prompt-buttons" }, ...buttons);

/** @type {(id: string, text: string, onclick: () => unknown, name?: string) => HTMLElement} */
const button = (id, text, onclick, name = "") =>
  el("button", { class: `act ${name}`, id, type: "button", onclick }, text);
