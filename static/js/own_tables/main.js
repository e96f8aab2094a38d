// @ts-check
// The player's tables side by side, each in its frame, and the tray above them: every clock, and which table waits.

import { setText, speak } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { around, find } from "../shared/query.js";
import { ofScreen } from "../shared/screen.js";
import { showAttention } from "../shared/title_alert.js";
import { beginsElsewhere, calling, givesWay, names, waits } from "./tray.js";

/** @import { Report } from "../table/parent_page.js" */

/** Whether the screen has room for all tables: on a narrower one a single table is shown at a time. */
const shown = ofScreen("--tables");
const title = document.title;
/** @type {Map<number, Report>} the last report of each table */
const reports = new Map();
/** @type {Map<number, HTMLIFrameElement>} */
const frames = new Map();
for (const frame of document.querySelectorAll("iframe")) frames.set(Number(frame.dataset.table), frame);
let front = Number(document.body.dataset.front);
const beginning = find(document, "#beginning", HTMLButtonElement);
/** The call for which a table was last brought to the front: once for each, so that the player may look away. */
let brought = "";

/** @type {(table: number) => HTMLElement} */
const tabOf = (table) => find(document, `[data-tab="${table}"]`, HTMLElement);

/** @type {Map<number, string>} the title of each table, by itself */
const titles = new Map();
for (const table of frames.keys()) titles.set(table, find(tabOf(table), ".tray-title", HTMLElement).textContent);
/** @type {Map<number, string>} and what it is called among the others */
let called = new Map();

function name() {
  called = names([...titles]);
  for (const [table, text] of called) setText(find(tabOf(table), ".tray-title", HTMLElement), text);
}

addEventListener("message", (event) => {
  if (event.origin !== location.origin) return;
  for (const [table, frame] of frames) if (frame.contentWindow === event.source) receive(table, event.data);
});

/**
 * @param {number} table the number of the frame; another practice table may stand in it by now
 * @param {Report | {table: number, left: true}} report
 */
function receive(table, report) {
  if ("left" in report) return void remove(table);
  reports.set(table, { ...report, table });
  titles.set(table, report.title);
  name();
  show(table, report);
  bringForward();
  announceDeal();
  call();
}

/** @type {(table: number, report: Report) => void} */
function show(table, report) {
  const tab = tabOf(table);
  const low = waits(report) && report.seconds !== null && report.seconds <= 10;
  tab.classList.toggle("waits", waits(report));
  tab.classList.toggle("is-low", low);
  setText(find(tab, ".tray-said", HTMLElement), report.status);
  setText(find(tab, ".tray-clock", HTMLElement), report.seconds === null ? "" : String(report.seconds));
}

/** The table that waits comes to the front, once for each call. */
function bringForward() {
  const waiting = calling(reports.values()).filter(waits);
  const [next] = waiting;
  if (!next) brought = "";
  if (!next || !givesWay(reports.get(front), next)) return;
  const key = waiting.map(({ table, call: what }) => `${table}-${what}`).join();
  if (brought === key) return;
  brought = key;
  bring(next.table);
  speak(
    find(document, "#live", HTMLElement),
    t("{title}: {status}.", { title: called.get(next.table) ?? "", status: next.status }),
  );
}

/** Tells those who practise while they wait of the deal that begins, with the way to it. */
function announceDeal() {
  const begins = beginsElsewhere(reports.values(), reports.get(front));
  beginning.hidden = begins === undefined;
  if (!begins) return;
  beginning.dataset.table = String(begins.table);
  setText(find(beginning, "[data-title]", HTMLElement), called.get(begins.table) ?? "");
  setText(find(beginning, "[data-seconds]", HTMLElement), begins.seconds === null ? "" : String(begins.seconds));
}

/** @param {number} table */
function bring(table) {
  front = table;
  for (const [each, frame] of frames) {
    frame.classList.toggle("is-front", each === table);
    frame.inert = each !== table && shown.value !== "all";
    find(tabOf(each), "button", HTMLButtonElement).setAttribute("aria-pressed", String(each === table));
  }
  frames.get(table)?.contentWindow?.focus();
  announceDeal();
}

/** Title and icon of the window call for the table with the least time. */
function call() {
  const [next] = calling(reports.values());
  if (!next || (next.call === "start" && !document.hidden)) return showAttention(title, null);
  const { status, seconds, table } = next;
  showAttention(`${status} · ${called.get(table)} · Thirteen`, document.hidden ? seconds : null);
}

/** @param {number} table */
function remove(table) {
  frames.get(table)?.remove();
  frames.delete(table);
  reports.delete(table);
  titles.delete(table);
  tabOf(table).remove();
  const [rest] = frames.keys();
  if (rest === undefined) return location.assign(document.body.dataset.lobby ?? "/");
  name();
  const [next] = calling(reports.values());
  if (front === table) bring(next?.table ?? rest);
  announceDeal();
  call();
}

beginning.addEventListener("click", () => bring(Number(beginning.dataset.table)));
document.addEventListener("click", (event) => {
  const tab = around(event, "[data-tab]");
  if (tab instanceof HTMLElement) bring(Number(tab.dataset.tab));
});
// A press inside a frame brings it to the front: the page itself only sees that the focus has gone there.
addEventListener("blur", () => {
  const frame = document.activeElement;
  if (frame instanceof HTMLIFrameElement && Number(frame.dataset.table) !== front) bring(Number(frame.dataset.table));
});
document.addEventListener("visibilitychange", call);
shown.whenChanged(() => bring(front));
name();
bring(front);
