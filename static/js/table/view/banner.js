// @ts-check
// What stands over the table when nothing can be done at it: no line, a table that is stopped.

import { byId, drawnOnce, el, icon, pageData } from "../../shared/dom.js";
import { t } from "../../shared/language.js";

/** @import { Store } from "../model/state.js" */

/**
 * What stands on a card in the middle: nothing can be done here now, and nothing is wrong.
 *
 * @type {Record<string, string>}
 */
const HALTED = {
  stopped: t("This table is stopped for a while"),
  waiting: t("This table waits for a while"),
};
/** @type {Record<string, string>} */
const LINK = {
  connecting: t("Connecting…"),
  reconnecting: t("The line to the table is lost. Your cards and chips are safe; trying again…"),
  replaced: t("This seat is now played from another window."),
  "signed-out": t("You are signed out."),
  "no-table": t("This table is not open to you, or it is closed."),
  waiting: t(
    "Our staff are checking the books. Your chips are safe, no clock runs, and the game goes on here by itself.",
  ),
  stopped: t("Our staff are looking at it. Your chips are safe, no clock runs, and the game goes on here by itself."),
};

const FIRM = new Set(["replaced", "signed-out", "no-table", ...Object.keys(HALTED)]);

/**
 * `reconnect` takes the seat back from another window.
 *
 * @param {Store} store
 * @param {() => void} reconnect
 */
export function renderBanner(store, reconnect) {
  const node = byId("link-banner");
  const banner = bannerOf(store);
  node.hidden = banner.link === "open";
  if (!node.hidden) drawnOnce(node, banner, (shown) => draw(node, shown, reconnect));
}

/** @typedef {{link: string, text: string}} Banner */

/**
 * All that the banner shows.
 *
 * @type {(store: Store) => Banner}
 */
function bannerOf(store) {
  const link = shownLink(store);
  return { link, text: LINK[link] ?? "" };
}

/** @type {(node: HTMLElement, banner: Banner, reconnect: () => void) => void} */
function draw(node, banner, reconnect) {
  const { link, text } = banner;
  node.classList.toggle("is-firm", FIRM.has(link));
  node.classList.toggle("is-calm", link in HALTED);
  const head = link in HALTED ? el("b", { text: HALTED[link] }) : icon("offline");
  node.replaceChildren(head, el("span", { text }), ...waysOut(link, reconnect));
}

/**
 * The line's state, or why nothing can be done although it is open; a first connection matters while nothing shows.
 *
 * @param {Store} store
 * @returns {string}
 */
function shownLink(store) {
  if (store.table.link === "connecting" && store.table.view) return "open";
  if (store.table.link !== "open") return store.table.link;
  return store.table.halted || "open";
}

/** @type {(link: string, reconnect: () => void) => HTMLElement[]} */
function waysOut(link, reconnect) {
  /** @type {(text: string, onclick: () => unknown) => HTMLElement} */
  const button = (text, onclick) => el("button", { class: "act is-main", type: "button", onclick }, text);
  /** @type {(text: string, href: string) => HTMLElement} */
  const way = (text, href) => el("a", { class: "act is-main link-act", href }, text);
  /** @type {HTMLElement[]} */
  const ways = [];
  if (link === "replaced") ways.push(button(t("Play here"), reconnect));
  if (link === "signed-out") ways.push(way(t("Sign in"), pageData("login")));
  if (link === "no-table" || link in HALTED) ways.push(way(t("To the lobby"), pageData("lobby")));
  return ways;
}
