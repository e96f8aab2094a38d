// The score sheet and the last deal, on demand: the server keeps them, so they are there after a reload as well.

import { el } from "../dom.js";
import { OUTCOMES, signed } from "../words.js";
import { show } from "./dialogs.js";
import { resultRows } from "./panel/result.js";
import { toast } from "./toasts.js";

async function load() {
  const answer = await fetch(`/api/tables/${document.body.dataset.table}/sheet/`, {
    headers: { accept: "application/json" },
  }).catch(() => null);
  const content = await answer?.json().catch(() => null);
  if (answer?.ok) return content;
  toast(content?.message ?? "The table could not be reached. Please try again.");
  return null;
}

const shownName = (store, row) => (store.isMine(row) ? "You" : row.name);

/** The last scored deal with every hand. */
export async function lastDealDialog(store) {
  const sheet = await load();
  if (!sheet) return;
  if (!sheet.last) return void show("Last deal", [el("p", { text: "No deal has ended at this table yet." })]);
  const { last } = sheet;
  const body = [resultRows(last, (row) => shownName(store, row), store.view.table, last.wild_rank)];
  if (last.rows.some((row) => store.isMine(row))) body.push(reportLink(last.deal));
  show(`Deal ${last.number}`, body, [], { name: "wide-window" });
}

/** In a window of its own, so that nobody leaves a running table to report a deal. */
function reportLink(deal) {
  const address = document.body.dataset.report.replace("/0/", `/${deal}/`);
  return el(
    "p",
    { class: "fine" },
    el("a", { id: "report-deal", href: address, target: "_blank", rel: "noopener" }, "Report this deal"),
  );
}

/** Every deal of the match by player; where chips are played for, the last deals of the table. */
export async function sheetDialog(store) {
  const loaded = await load();
  if (!loaded) return;
  const sheet = { ...loaded, money: store.view.table.money };
  if (sheet.deals.length === 0)
    return void show("Score sheet", [el("p", { text: "No deal has ended at this table yet." })]);
  const players = playersOf(store, sheet);
  const match = !store.view.table.point_value;
  const cellOf = match ? pointsCell : chipsCell;
  const deals = sheet.deals.map((deal) =>
    line(
      `Deal ${deal.number}`,
      players.map((player) => cellOf(rowOf(deal, player), sheet)),
    ),
  );
  const sums = match
    ? totals(store, players)
    : [
        line(
          "Together",
          players.map((player) => together(sheet, player)),
          "is-total",
        ),
      ];
  const head = el(
    "tr",
    {},
    el("th", {}, el("span", { class: "unseen", text: "Deal" })),
    ...players.map((player) => el("th", { scope: "col", title: player.name, text: shownName(store, player) })),
  );
  const table = el("table", { class: "sheet" }, el("thead", {}, head), el("tbody", {}, ...deals, ...sums));
  const body = [
    el("div", { class: "sheet-scroll", tabindex: "0", role: "region", "aria-label": "Score sheet" }, table),
  ];
  if (match) body.push(el("p", { class: "fine", text: "Points of each deal, and the total of the match after it." }));
  show("Score sheet", body, [], { name: "wide-window" });
}

/** Who has played a listed deal: oneself first, then who still sits here, then who has gone. */
function playersOf(store, sheet) {
  const found = new Map(
    sheet.deals
      .flatMap((deal) => deal.rows)
      .map((row) => [`${row.seat} ${row.name}`, { seat: row.seat, name: row.name }]),
  );
  const place = (player) => (store.isMine(player) ? 0 : store.seat(player.seat)?.name === player.name ? 1 : 2);
  return [...found.values()].sort((one, other) => place(one) - place(other) || one.seat - other.seat);
}

const rowOf = (deal, player) => deal.rows.find((row) => row.seat === player.seat && row.name === player.name) ?? null;

const line = (label, cells, name = "") => el("tr", { class: name }, el("th", { scope: "row", text: label }), ...cells);
const cell = (name, ...parts) => el("td", { class: name }, ...parts);

function chipsCell(row, sheet) {
  if (!row) return cell("", "–");
  return cell(
    row.amount > 0 ? "is-plus" : row.amount < 0 ? "is-minus" : "",
    signed(row.amount, sheet.money),
    mark(row),
  );
}

function pointsCell(row, sheet) {
  if (!row) return cell("", "–");
  const rejoined =
    row.rejoined === null ? null : el("small", { class: "sheet-mark is-good", text: `back with ${row.rejoined}` });
  const out = row.out
    ? el("small", { class: "sheet-mark is-bad", text: row.outcome === "left" ? "Left" : "Out" })
    : sheet.limit === null || row.outcome === "won"
      ? mark(row)
      : null;
  return cell(
    row.outcome === "won" ? "is-plus" : "",
    el("b", { text: String(row.points) }),
    el("span", { class: "sheet-sum", text: String(row.total) }),
    out,
    rejoined,
  );
}

/** How the deal ended for the player, where the number alone does not say it. */
function mark(row) {
  return row.outcome === "lost"
    ? null
    : el("small", { class: "sheet-mark", text: OUTCOMES[row.outcome] ?? row.outcome });
}

function together(sheet, player) {
  const sum = sheet.deals.reduce((all, deal) => all + (rowOf(deal, player)?.amount ?? 0), 0);
  return cell(sum > 0 ? "is-plus" : sum < 0 ? "is-minus" : "", signed(sum, sheet.money));
}

/** Where everybody stands now, from the view: a rejoin after the last deal counts already. */
function totals(store, players) {
  const now = players.map((player) => store.seat(player.seat));
  const sums = [
    line(
      "Total",
      now.map((seat) => cell("", String(seat?.total ?? "–"))),
      "is-total",
    ),
  ];
  const counted = now.some((seat) => (seat?.drops_left ?? null) !== null);
  const drops = (seat) => (["out", "left"].includes(seat?.status) ? "–" : String(seat?.drops_left ?? "–"));
  if (counted)
    sums.push(
      line(
        "Drops left",
        now.map((seat) => cell("", drops(seat))),
      ),
    );
  return sums;
}
