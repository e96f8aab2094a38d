// @ts-check
// The rows of a result: whose, with which cards, for how many points.

import { cardFace } from "../../../shared/card_faces.js";
import { el } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { KINDS, OUTCOMES, signed } from "../../../shared/words.js";

/** @import { Card, TableView } from "../../../shared/types.js" */
/** @typedef {import("../../../shared/types.js").ResultRowView} Row */

/** @type {Record<string, string>} */
const SHOWN_KINDS = { ...KINDS, invalid: t("No meld"), loose: t("Loose") };

/**
 * The rows of a result, for the panel and for the last deal on demand; `name` says whose a row is.
 *
 * @template {Row} R
 * @param {R[]} played
 * @param {(row: R) => string} name
 * @param {TableView} table
 * @param {number | null} wildRank
 */
export function resultRows(played, name, table, wildRank) {
  const total = table.chips_a_deal ? t("Chips") : t("Total");
  const columns = [t("Player"), t("Cards"), t("Points"), table.point_value ? t("Won or lost") : total];
  const head = el(
    "div",
    { class: "result-row result-head", role: "row" },
    ...columns.map((text) => el("span", { role: "columnheader", text })),
  );
  const winnerFirst = [...played].sort(
    (one, other) => Number(other.outcome === "won") - Number(one.outcome === "won") || one.points - other.points,
  );
  const rows = winnerFirst.map((row) => resultRow(row, name(row), table, wildRank));
  return el(
    "div",
    { class: "result", role: "table", "aria-label": t("Points and cards of every player") },
    head,
    ...rows,
  );
}

/** @type {(row: Row, name: string, table: TableView, wildRank: number | null) => HTMLElement} */
function resultRow(row, name, table, wildRank) {
  const last = table.point_value ? signed(row.amount, table.money) : String(row.total ?? "");
  const tone = table.point_value ? toneOf(row.amount) : "";
  return el(
    "div",
    { class: `result-row is-${row.outcome}`, role: "row" },
    el(
      "span",
      { class: "result-who", role: "cell" },
      el("b", { text: name }),
      el("i", { text: OUTCOMES[row.outcome] }),
    ),
    el(
      "span",
      { class: "result-cards", role: "cell" },
      ...groupsOf(row, wildRank),
      row.why ? el("span", { class: "result-why", text: row.why }) : null,
    ),
    el("span", { class: "result-points", role: "cell" }, String(row.points), el("small", { text: t(" pts") })),
    el(
      "span",
      { class: `result-amount ${tone}`, role: "cell" },
      last,
      table.point_value ? null : el("small", { text: table.chips_a_deal ? t(" chips") : t(" total") }),
    ),
  );
}

/** @type {(amount: number) => string} */
export function toneOf(amount) {
  if (amount === 0) return "";
  return amount > 0 ? "is-plus" : "is-minus";
}

/** @type {(row: Row, wildRank: number | null) => HTMLElement[]} */
function groupsOf(row, wildRank) {
  const shown = { wildRank, counted: row.counted };
  const groups = row.groups.map((cards, place) => groupNode(cards, row.kinds[place] ?? "invalid", shown));
  if (row.loose.length > 0) groups.push(groupNode(row.loose, "loose", shown));
  return groups.length > 0 ? groups : [el("em", { text: t("No cards shown") })];
}

/** @type {(cards: Card[], kind: string, shown: {wildRank: number | null, counted: Record<Card, number>}) => HTMLElement} */
function groupNode(cards, kind, { wildRank, counted }) {
  const faces = cards.map((card) => costing(cardFace(card, { wildRank }), counted[card] ?? 0));
  return el(
    "span",
    { class: `result-group is-${kind}` },
    el("span", { class: "mini-row mini" }, ...faces),
    el("small", { text: SHOWN_KINDS[kind] ?? kind }),
  );
}

/**
 * The card with what it costs its player, where it costs anything.
 *
 * @param {HTMLElement} face
 * @param {number} cost
 */
function costing(face, cost) {
  if (cost > 0) face.append(el("span", { class: "card-cost", "aria-hidden": "true", text: String(cost) }));
  return face;
}
