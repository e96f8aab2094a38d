// @ts-check
// The outcome in words.

import { t } from "../../language.js";
import { chips, plural } from "../../words.js";
import { nameOf, played } from "./names.js";

/** @typedef {import("../../model/state.js").Shown} Shown */

/** @param {Shown} store */
export function title(store) {
  const { view } = store;
  if (view.phase === "rejoin") return t("Rejoin?");
  if (view.phase === "split") return t("Split the prize?");
  const winner = view.result?.rows.find((row) => row.outcome === "won");
  if (view.phase === "over") return overTitle(store);
  if (!winner) return t("Result");
  return winText(store, winner);
}

/**
 * The result for those who listen: who won, and what it means for oneself.
 *
 * @param {Shown} store
 */
export function spokenResult(store) {
  const { result, phase, table } = store.view;
  const own = result?.rows.find((row) => store.isMine(row));
  const won = result?.rows.find((row) => row.outcome === "won");
  const lines = won ? [sentence(winText(store, won))] : [];
  if (own) lines.push(ownLine(own, table), own.why);
  if (phase === "over") lines.push(sentence(overTitle(store)));
  return lines.filter(Boolean).join(" ");
}

/** @type {(text: string) => string} */
const sentence = (text) => t("{text}.", { text });

/** @type {(store: Shown, winner: import("../../types.js").ResultRowView) => string} */
const winText = (store, winner) =>
  store.isMine(winner) ? t("You win the deal") : t("{name} wins the deal", { name: played(store)(winner) });

/**
 * @param {import("../../types.js").ResultRowView} row
 * @param {import("../../types.js").TableView} table
 */
function ownLine(row, table) {
  const points = row.outcome === "won" ? "" : t("You have {points}", { points: plural(row.points, "point") });
  if (!table.point_value)
    return t("{points}, {total} in all.", { points: points || t("You have no points"), total: row.total ?? 0 });
  return row.outcome === "won"
    ? t("You get {amount}.", { amount: chips(row.amount, table.money) })
    : t("{points} and pay {amount}.", { points, amount: chips(-row.amount, table.money) });
}

/** @param {Shown} store */
function overTitle(store) {
  const { accounts, me } = store.view;
  if (!accounts) return t("The match is cancelled");
  const winners = accounts.filter((one) => one.amount > 0);
  if (winners.length !== 1) return t("The prize is split");
  return winners[0].seat === me?.seat
    ? t("You win the match")
    : t("{name} wins the match", { name: nameOf(store, winners[0].seat) });
}
