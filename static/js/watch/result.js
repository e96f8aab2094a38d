// @ts-check
// The result of the deal that was shown: it stays until the next one is known.

import { byId, el, setText } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { OUTCOMES, plural, signed } from "../shared/words.js";

/** @typedef {import("../shared/types.js").ResultRowView} Row */
/** @import { TableView } from "../shared/types.js" */

/** @type {(rows: Row[], number: number, table: TableView) => void} */
export function showResult(rows, number, table) {
  setText(byId("result-title"), t("Result of deal {number}", { number }));
  const winnerFirst = [...rows].sort((one, other) => won(other) - won(one) || one.points - other.points);
  byId("rows").replaceChildren(...winnerFirst.map((row) => line(row, table)));
  byId("result").hidden = false;
}

/** @type {(row: Row) => number} */
const won = (row) => Number(row.outcome === "won");

/** @type {(row: Row, table: TableView) => HTMLElement} */
function line(row, table) {
  const last = table.point_value ? signed(row.amount, table.money) : t("total {total}", { total: row.total });
  return el(
    "li",
    { class: "shown" },
    el(
      "p",
      { class: "shown__head" },
      el("b", { text: row.name ?? "" }),
      el("span", { class: `outcome outcome--${row.outcome}`, text: OUTCOMES[row.outcome] }),
      el("span", { class: "shown__figures", text: `${plural(row.points, "point")} · ${last}` }),
    ),
    row.why ? el("p", { class: "shown__why", text: row.why }) : null,
  );
}
