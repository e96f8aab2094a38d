// The rows of a result: whose, with which cards, for how many points.

import { el } from "../../dom.js";
import { KINDS, OUTCOMES, signed } from "../../words.js";
import { cardFace } from "../cards.js";

/** The rows of a result, for the panel and for the last deal on demand; `name(row)` says whose a row is. */
export function resultRows(result, name, table, wildRank) {
  const match = !table.point_value;
  const columns = match ? ["Player", "Cards", "Points", "Total"] : ["Player", "Cards", "Points", "Won or lost"];
  const head = el(
    "div",
    { class: "result-row result-head", role: "row" },
    ...columns.map((text) => el("span", { role: "columnheader", text })),
  );
  const winnerFirst = [...result.rows].sort(
    (one, other) => Number(other.outcome === "won") - Number(one.outcome === "won") || one.points - other.points,
  );
  const rows = winnerFirst.map((row) => resultRow(row, name(row), table, wildRank));
  return el("div", { class: "result", role: "table", "aria-label": "Points and cards of every player" }, head, ...rows);
}

function resultRow(row, name, table, wildRank) {
  const last = table.point_value ? signed(row.amount, table.money) : String(row.total ?? "");
  const tone = table.point_value && row.amount !== 0 ? (row.amount > 0 ? "is-plus" : "is-minus") : "";
  return el(
    "div",
    { class: `result-row is-${row.outcome}`, role: "row" },
    el(
      "span",
      { class: "result-who", role: "cell" },
      el("b", { text: name }),
      el("i", { text: OUTCOMES[row.outcome] ?? row.outcome }),
    ),
    el("span", { class: "result-cards", role: "cell" }, ...groupsOf(row, wildRank)),
    el("span", { class: "result-points", role: "cell" }, String(row.points), el("small", { text: " pts" })),
    el(
      "span",
      { class: `result-amount ${tone}`, role: "cell" },
      last,
      table.point_value ? null : el("small", { text: " total" }),
    ),
  );
}

function groupsOf(row, wildRank) {
  const groups = (row.groups ?? []).map((cards, place) => groupNode(cards, row.kinds?.[place] ?? "invalid", wildRank));
  if (row.loose?.length > 0) groups.push(groupNode(row.loose, "loose", wildRank));
  return groups.length > 0 ? groups : [el("em", { text: "No cards shown" })];
}

function groupNode(cards, kind, wildRank) {
  const faces = cards.map((card) => cardFace(card, { wildRank }));
  return el(
    "span",
    { class: `result-group is-${kind}` },
    el("span", { class: "mini-row mini" }, ...faces),
    el("small", { text: { ...KINDS, invalid: "No meld", loose: "Loose" }[kind] ?? kind }),
  );
}
