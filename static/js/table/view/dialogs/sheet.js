// @ts-check
// The score sheet and the last deal, on demand: the server keeps them, so they are there after a reload as well.

import { addressOf, el, pageData } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { OUTCOMES, signed } from "../../../shared/words.js";
import { lookLink } from "../panel/footer.js";
import { resultRows, toneOf } from "../panel/result.js";
import { toast } from "../toasts.js";
import { show } from "./window.js";

/** @import { Table } from "../../model/table.js" */
/** @typedef {import("../../../shared/types.js").CurrencyView} Unit */
/** @typedef {import("../../../shared/types.js").ResultRowView} ResultRow */
/** @typedef {{seat: number, name: string}} Player */

/**
 * How a deal ended for a player: whether it was their last, and with how many points they came back after it.
 *
 * @typedef {Object} Score
 * @property {number} seat
 * @property {string} name
 * @property {import("../../../shared/types.js").Outcome} outcome
 * @property {number} points
 * @property {number} amount
 * @property {number | null} total
 * @property {boolean} out
 * @property {number | null} rejoined
 */

/**
 * @typedef {{deal: number, number: number, rows: Score[]}} ScoredDeal
 * @typedef {{deal: number, number: number, wild_rank: number | null, rows: ResultRow[]}} LastDeal
 * @typedef {{deals: ScoredDeal[], limit: number | null, last: LastDeal | null}} Sheet
 */

const NOTHING_YET = t("No deal has ended at this table yet.");

/** @returns {Promise<Sheet | null>} */
async function load() {
  const answer = await fetch(pageData("sheet"), { headers: { accept: "application/json" } }).catch(() => null);
  const content = await answer?.json().catch(() => null);
  if (answer?.ok) return content;
  toast(content?.message ?? t("The table could not be reached. Please try again."));
  return null;
}

/** @type {(table: Table, row: {seat: number, name: string | null}) => string} */
const shownName = (table, row) => (table.isMine(row) ? t("You") : (row.name ?? ""));

/** @type {(text: string) => HTMLElement} */
const fine = (text) => el("p", { class: "fine", text });

/**
 * The last scored deal with every hand.
 *
 * @param {Table} table
 */
export async function lastDealDialog(table) {
  const sheet = await load();
  if (!sheet || !table.view) return;
  const { last } = sheet;
  if (!last) return void show(t("Last deal"), [el("p", { text: NOTHING_YET })]);
  const body = [resultRows(last.rows, (row) => shownName(table, row), table.view.table, last.wild_rank)];
  if (last.rows.some((row) => table.isMine(row))) body.push(lookLink(last.deal), reportLink(last.deal));
  show(t("Deal #{id}", { id: last.deal }), body, [], "wide-window");
}

/**
 * In a window of its own, so that nobody leaves a running table to report a deal.
 *
 * @param {number} deal
 */
function reportLink(deal) {
  const href = addressOf("report", deal);
  const link = el("a", { id: "report-deal", href, target: "_blank", rel: "noopener" }, t("Report this deal"));
  return el("p", { class: "fine" }, link);
}

/**
 * Every deal of the match by player; where chips are played for, the last deals of the table.
 *
 * @param {Table} table
 */
export async function sheetDialog(table) {
  const sheet = await load();
  if (!sheet || !table.view) return;
  if (sheet.deals.length === 0) return void show(t("Score sheet"), [el("p", { text: NOTHING_YET })]);
  const players = playersOf(table, sheet);
  const { point_value: perPoint, chips_a_deal: forChips, money } = table.view.table;
  const lines = perPoint
    ? chipsLines(sheet, players, money)
    : [...pointsLines(sheet, players), ...totals(table, players)];
  const names = players.map((each) => el("th", { scope: "col", title: each.name, text: shownName(table, each) }));
  const head = el("tr", {}, el("th", {}, el("span", { class: "visually-hidden", text: t("Deal") })), ...names);
  const grid = el("table", { class: "sheet" }, el("thead", {}, head), el("tbody", {}, ...lines));
  const scrolled = { class: "sheet-scroll", tabindex: "0", role: "region", "aria-label": t("Score sheet") };
  const counted = forChips
    ? t("Points of each deal, and everybody’s chips after it.")
    : t("Points of each deal, and the total of the match after it.");
  const note = perPoint ? null : fine(counted);
  show(t("Score sheet"), [el("div", scrolled, grid), note], [], "wide-window");
}

/** @type {(sheet: Sheet, players: Player[], money: Unit) => HTMLElement[]} */
function chipsLines(sheet, players, money) {
  const deals = sheet.deals.map((deal) =>
    line(
      dealNames(deal),
      players.map((player) => chipsCell(rowOf(deal, player), money)),
    ),
  );
  const sums = players.map((player) => together(sheet, player, money));
  return [...deals, line(t("Together"), sums, "is-total")];
}

/** @type {(sheet: Sheet, players: Player[]) => HTMLElement[]} */
function pointsLines(sheet, players) {
  return sheet.deals.map((deal) =>
    line(
      dealNames(deal),
      players.map((player) => pointsCell(rowOf(deal, player), sheet.limit)),
    ),
  );
}

/**
 * Who has played a listed deal: oneself first, then who still sits here, then who has gone.
 *
 * @type {(table: Table, sheet: Sheet) => Player[]}
 */
function playersOf(table, sheet) {
  const rows = sheet.deals.flatMap((deal) => deal.rows);
  const found = new Map(rows.map(({ seat, name }) => [`${seat} ${name}`, { seat, name }]));
  /** @type {(player: Player) => number} */
  const place = (player) => {
    if (table.isMine(player)) return 0;
    return table.seat(player.seat)?.name === player.name ? 1 : 2;
  };
  return [...found.values()].sort((one, other) => place(one) - place(other) || one.seat - other.seat);
}

/** @type {(deal: ScoredDeal, player: Player) => Score | null} */
const rowOf = (deal, player) => deal.rows.find((row) => row.seat === player.seat && row.name === player.name) ?? null;

/** @type {(label: import("../../../shared/dom.js").Child, cells: HTMLElement[], name?: string) => HTMLElement} */
const line = (label, cells, name = "") => el("tr", { class: name }, el("th", { scope: "row" }, label), ...cells);

/**
 * Its place on this sheet, and the number that names it on every other page.
 *
 * @type {(deal: ScoredDeal) => HTMLElement}
 */
const dealNames = ({ deal, number }) => el("span", {}, t("Deal {number}", { number }), small("", ` #${deal}`));

/** @type {(name: string, ...parts: import("../../../shared/dom.js").Child[]) => HTMLElement} */
const cell = (name, ...parts) => el("td", { class: name }, ...parts);

/** @type {(look: string, text: string) => HTMLElement} */
const small = (look, text) => el("small", { class: `sheet-mark ${look}`, text });

/** @type {(row: Score | null, money: Unit) => HTMLElement} */
function chipsCell(row, money) {
  return row ? cell(toneOf(row.amount), signed(row.amount, money), mark(row)) : cell("", "–");
}

/** @type {(row: Score | null, limit: number | null) => HTMLElement} */
function pointsCell(row, limit) {
  if (!row) return cell("", "–");
  const won = row.outcome === "won";
  const rejoined =
    row.rejoined === null ? null : small("is-good", t("back with {rejoined}", { rejoined: row.rejoined }));
  const ended = limit === null || won ? mark(row) : null;
  const out = row.out ? small("is-bad", row.outcome === "left" ? t("Left") : t("Out")) : ended;
  const total = el("span", { class: "sheet-sum", text: String(row.total) });
  return cell(won ? "is-plus" : "", el("b", { text: String(row.points) }), total, out, rejoined);
}

/**
 * How the deal ended for the player, where the number alone does not say it.
 *
 * @param {Score} row
 */
const mark = (row) => (row.outcome === "lost" ? null : small("", OUTCOMES[row.outcome]));

/** @type {(sheet: Sheet, player: Player, money: Unit) => HTMLElement} */
function together(sheet, player, money) {
  const sum = sheet.deals.reduce((all, deal) => all + (rowOf(deal, player)?.amount ?? 0), 0);
  return cell(toneOf(sum), signed(sum, money));
}

/**
 * Where everybody stands now, from the view: a rejoin after the last deal counts already.
 *
 * @type {(table: Table, players: Player[]) => HTMLElement[]}
 */
function totals(table, players) {
  const now = players.map((player) => table.seat(player.seat));
  const points = now.map((seat) => cell("", String(seat?.total ?? "–")));
  const sums = [line(t("Total"), points, "is-total")];
  if (now.every((seat) => (seat?.drops_left ?? null) === null)) return sums;
  const drops = now.map((seat) => cell("", seat && isIn(seat) ? String(seat.drops_left ?? "–") : "–"));
  return [...sums, line(t("Drops left"), drops)];
}

/** @type {(seat: import("../../../shared/types.js").SeatView) => boolean} */
const isIn = (seat) => seat.status !== "out" && seat.status !== "left";
