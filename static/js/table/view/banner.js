// @ts-check
// What stands over the table when nothing can be done at it: no line, a table that is stopped, a lost seat.

import { byId, drawnOnce, el, icon, pageData } from "../dom.js";
import { t } from "../language.js";
import { chips } from "../words.js";

/** @typedef {import("../model/state.js").Store} Store */
/** @typedef {import("../input/actions.js").Actions} Actions */

/**
 * What stands on a card in the middle: nothing can be done here now, and nothing is wrong.
 *
 * @type {Record<string, string>}
 */
const HALTED = {
  stopped: t("This table is stopped for a while"),
  waiting: t("This table waits for a while"),
  out: t("You were seated out"),
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
 * @param {Actions} actions
 * @param {() => void} reconnect
 */
export function renderBanner(store, actions, reconnect) {
  const node = byId("link-banner");
  const banner = bannerOf(store, actions);
  node.hidden = banner.link === "open";
  if (!node.hidden) drawnOnce(node, banner, (shown) => draw(node, shown, { store, actions, reconnect }));
}

/** @typedef {{link: string, text: string, practice: boolean}} Banner */

/**
 * All that the banner shows.
 *
 * @type {(store: Store, actions: Actions) => Banner}
 */
export function bannerOf(store, actions) {
  const link = shownLink(store, actions);
  const text = link === "out" ? seatedOut(store) : (LINK[link] ?? "");
  return { link, text, practice: Boolean(store.view?.table.practice) };
}

/** @typedef {{store: Store, actions: Actions, reconnect: () => void}} Does What its buttons do. */

/** @type {(node: HTMLElement, banner: Banner, does: Does) => void} */
function draw(node, banner, does) {
  const { link, text } = banner;
  node.classList.toggle("is-firm", FIRM.has(link));
  node.classList.toggle("is-calm", link in HALTED);
  const head = link in HALTED ? el("b", { text: HALTED[link] }) : icon("offline");
  node.replaceChildren(head, el("span", { text }), ...waysOut(banner, does));
}

/**
 * The line's state, or why nothing can be done although it is open; a first connection matters while nothing shows.
 *
 * @param {Store} store
 * @param {Actions} actions
 * @returns {string}
 */
function shownLink(store, actions) {
  if (store.link === "connecting" && store.view) return "open";
  if (store.link !== "open") return store.link;
  return store.halted || (store.seatedOut && !actions.isAsking("leave") ? "out" : "open");
}

/** @type {(banner: Banner, does: Does) => HTMLElement[]} */
function waysOut({ link, practice }, { store, actions, reconnect }) {
  /** @type {(text: string, onclick: () => unknown, name?: string) => HTMLElement} */
  const button = (text, onclick, name = "act is-main") => el("button", { class: name, type: "button", onclick }, text);
  /** @type {(text: string, href: string) => HTMLElement} */
  const way = (text, href) => el("a", { class: "act is-main link-act", href }, text);
  /** @type {HTMLElement[]} */
  const ways = [];
  if (link === "replaced") ways.push(button(t("Play here"), reconnect));
  if (link === "signed-out") ways.push(way(t("Sign in"), pageData("login")));
  if (link === "no-table" || link in HALTED) ways.push(way(t("To the lobby"), pageData("lobby")));
  if (link === "out" && practice) ways.push(button(t("Play again"), () => actions.playAgain()));
  if (link === "out") ways.push(button(t("Look on"), () => store.lookOn(), "act"));
  return ways;
}

/** @param {Store} store */
function seatedOut({ seatedOut: out, view }) {
  const why = out?.unready ? t("Who does not continue gives up the seat when the time is over. ") : "";
  if (view?.table.practice) return t("{why}Another practice table is a tap away.", { why });
  const back =
    out?.returned && view
      ? t("{returned} are in your balance again.", { returned: chips(out.returned, view.table.money) })
      : "";
  return `${why}${back || t("Your seat is free for others.")}`;
}
