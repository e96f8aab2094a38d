// @ts-check
// The outcome in words.

import { chips, plural } from "../../words.js";
import { nameOf, played } from "./names.js";

/** @typedef {import("../../model/state.js").Shown} Shown */

/** @param {Shown} store */
export function title(store) {
  const { view } = store;
  if (view.phase === "rejoin") return "Rejoin?";
  if (view.phase === "split") return "Split the prize?";
  const winner = view.result?.rows.find((row) => row.outcome === "won");
  if (view.phase === "over") return overTitle(store);
  if (!winner) return "Result";
  const name = played(store)(winner);
  return name === "You" ? "You win the deal" : `${name} wins the deal`;
}

/**
 * The result for those who listen: who won, and what it means for oneself.
 *
 * @param {Shown} store
 */
export function resultTold(store) {
  const { result, phase, table } = store.view;
  const own = result?.rows.find((row) => store.isMine(row));
  const won = result?.rows.find((row) => row.outcome === "won");
  const name = won ? played(store)(won) : null;
  const lines = name ? [`${name} ${name === "You" ? "win" : "wins"} the deal.`] : [];
  if (own) lines.push(ownLine(own, table), own.why);
  if (phase === "over") lines.push(`${overTitle(store)}.`);
  return lines.filter(Boolean).join(" ");
}

/**
 * @param {import("../../types.js").ResultRowView} row
 * @param {import("../../types.js").TableView} table
 */
function ownLine(row, table) {
  const points = row.outcome === "won" ? "" : `You have ${plural(row.points, "point")}`;
  if (!table.point_value) return `${points || "You have no points"}, ${row.total ?? 0} in all.`;
  return row.outcome === "won"
    ? `You get ${chips(row.amount, table.money)}.`
    : `${points} and pay ${chips(-row.amount, table.money)}.`;
}

/** @param {Shown} store */
function overTitle(store) {
  const { accounts, me } = store.view;
  if (!accounts) return "The match is cancelled";
  const winners = accounts.filter((one) => one.amount > 0);
  if (winners.length !== 1) return "The prize is split";
  return winners[0].seat === me?.seat ? "You win the match" : `${nameOf(store, winners[0].seat)} wins the match`;
}
