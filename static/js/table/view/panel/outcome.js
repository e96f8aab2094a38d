// @ts-check
// The outcome in words.

import { t } from "../../../shared/language.js";
import { chips, plural, totalText } from "../../../shared/words.js";
import { nameOf, panelOf, played } from "./shown.js";

/** @import { Panel } from "./shown.js" */

/** @param {Panel} panel */
export function title(panel) {
  if (panel.out) return t("You were seated out");
  if (panel.phase === "rejoin") return t("Rejoin?");
  if (panel.phase === "split") return t("Split the prize?");
  const winner = panel.rows?.find((row) => row.outcome === "won");
  const { tournament } = panel.table;
  if (panel.phase === "over" && !tournament) return overTitle(panel);
  if (!winner) return tournament ? t("The table is over") : t("Result");
  return winText(panel, winner);
}

/**
 * The result for those who listen: who won, and what it means for oneself.
 *
 * @param {import("../../model/state.js").Shown} store
 */
export function spokenResult(store) {
  const panel = panelOf(store);
  const { rows, phase, table } = panel;
  const own = rows?.find((row) => row.mine);
  const won = rows?.find((row) => row.outcome === "won");
  const lines = won ? [sentence(winText(panel, won))] : [];
  if (own) lines.push(ownLine(own, table), own.why);
  if (phase === "over" && !table.tournament) lines.push(sentence(overTitle(panel)));
  return lines.filter(Boolean).join(" ");
}

/** @type {(text: string) => string} */
const sentence = (text) => t("{text}.", { text });

/** @type {(panel: Panel, winner: import("./shown.js").PanelRow) => string} */
const winText = (panel, winner) =>
  winner.mine ? t("You win the deal") : t("{name} wins the deal", { name: played(panel)(winner) });

/**
 * @param {import("../../../shared/types.js").ResultRowView} row
 * @param {import("../../../shared/types.js").TableView} table
 */
function ownLine(row, table) {
  const points = row.outcome === "won" ? "" : t("You have {points}", { points: plural(row.points, "point") });
  const total = table.chips_a_deal ? totalText(row.total, table) : (row.total ?? 0);
  if (!table.point_value) return t("{points}, {total} in all.", { points: points || t("You have no points"), total });
  return row.outcome === "won"
    ? t("You get {amount}.", { amount: chips(row.amount, table.money) })
    : t("{points} and pay {amount}.", { points, amount: chips(-row.amount, table.money) });
}

/** @param {Panel} panel */
function overTitle(panel) {
  const { accounts, mySeat, table } = panel;
  if (!accounts) return table.point_value ? t("This table is closed") : t("The match is cancelled");
  const winners = accounts.filter((one) => one.amount > 0);
  if (winners.length !== 1) return t("The prize is split");
  return winners[0].seat === mySeat
    ? t("You win the match")
    : t("{name} wins the match", { name: nameOf(panel, winners[0].seat) });
}
