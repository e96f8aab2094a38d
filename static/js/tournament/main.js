// @ts-check
// The pages of tournaments come alive: clocks, places and lists as they change, the check of a draw, the call to a table.

import { showNews } from "../company/news.js";
import { showLine, showLook } from "../lobby/connection.js";
import { connect } from "../lobby/socket.js";
import { el, pageData, setText } from "../shared/dom.js";
import { follow } from "../shared/follow.js";
import { t } from "../shared/language.js";
import { around } from "../shared/query.js";
import { calledByTournament } from "./call.js";
import { timeLeft } from "./clock.js";
import { drawFaults } from "./draw.js";

/** Milliseconds between two looks at what has changed; each page adds a part of its own, so that not all ask at once. */
const LOOK_EVERY = 10_000;
const live = /** @type {HTMLElement} */ (document.getElementById("live"));

/** Brings what has changed onto the page, part by part: what is as it was stays, with the focus in it. */
async function look() {
  if (document.hidden) return;
  const answer = await fetch(live.dataset.live ?? "").catch(() => null);
  showLook("live", Boolean(answer?.ok));
  if (!answer?.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const token = live.querySelector("input[name=csrfmiddlewaretoken]")?.getAttribute("value");
  for (const field of fresh.querySelectorAll("input[name=csrfmiddlewaretoken]"))
    if (token) field.setAttribute("value", token);
  show(fresh);
  tick();
}

/** @param {Document} fresh */
function show(fresh) {
  const parts = [...fresh.querySelectorAll("[data-part]")];
  const kept = new Map([...live.children].map((part) => [part.getAttribute("data-part"), part]));
  const stood = live.querySelector(":focus");
  const under = stood?.closest("[data-part]");
  const wanted = parts.map((part) => staying(kept.get(part.getAttribute("data-part")), part));
  for (const part of kept.values()) if (!wanted.includes(part)) part.remove();
  for (const [place, part] of wanted.entries())
    if (live.children[place] !== part) live.insertBefore(part, live.children[place] ?? null);
  // What the keyboard stood on may be gone: it goes on to what can be done now.
  if (stood && !stood.isConnected) (firstOf(under) ?? firstOf(live))?.focus();
}

/** @type {(part: Element | null | undefined) => HTMLElement | null | undefined} */
const firstOf = (part) => (part?.isConnected ? part.querySelector("a, button") : null);

/** The version of the standings that was pushed last, the one that was looked at, and the looks left out since. */
const standings = { pushed: -1, looked: -1, leftOut: 0 };
const MOST_LEFT_OUT = 5;

/** Looks again, unless no deal has ended since; who is not in the tournament is pushed nothing, and always looks. */
function lookAgain() {
  if (standings.pushed >= 0 && standings.pushed === standings.looked && standings.leftOut < MOST_LEFT_OUT) {
    standings.leftOut += 1;
    return;
  }
  Object.assign(standings, { looked: standings.pushed, leftOut: 0 });
  look();
}

/** @param {import("../lobby/types.js").StandingsMessage} message */
function hear({ tournament, version, place }) {
  if (tournament !== Number(live.dataset.tournament)) return;
  standings.pushed = version;
  const shown = live.querySelector("[data-own-place]");
  if (shown) shown.textContent = place === null ? "—" : String(place);
}

/** @type {WeakMap<Element, string>} what each part looked like as it came */
const came = new WeakMap([...live.children].map((part) => [part, part.outerHTML]));

/** @type {(old: Element | undefined, fresh: Element) => Element} The old part, which now says what the fresh one says. */
function staying(old, fresh) {
  const text = fresh.outerHTML;
  if (old && came.get(old) !== text) follow(old, fresh);
  came.set(old ?? fresh, text);
  return old ?? fresh;
}

/** Writes the time that is left beside each moment. */
function tick() {
  for (const time of document.querySelectorAll("time[data-until]")) {
    setText(time, timeLeft(Date.parse(time.getAttribute("datetime") ?? "") - Date.now()));
  }
}

/** @param {HTMLButtonElement} button */
async function check(button) {
  button.disabled = true;
  const answer = await fetch(pageData("draws")).catch(() => null);
  const content = await answer?.json().catch(() => null);
  const number = Number(button.dataset.check);
  const round = content?.rounds?.find((/** @type {{number: number}} */ each) => each.number === number);
  button.disabled = false;
  const faults = round?.proof
    ? drawFaults(round.proof, promised(button), round.tables)
    : [t("The proof could not be reached.")];
  button.closest("li")?.querySelector(".rounds__verdict")?.remove();
  button.closest("li")?.append(faults.length > 0 ? refused(faults) : seats(round.proof));
}

/** @type {(button: HTMLElement) => string} The promise that stands on the page, not the one that comes with the proof. */
const promised = (button) => button.closest("li")?.querySelector("code")?.textContent ?? "";

/** @param {string[]} faults */
function refused(faults) {
  const list = el("ul", {}, ...faults.map((text) => el("li", { text })));
  return el("div", { class: "rounds__verdict is-bad", role: "status" }, t("This draw does not hold."), list);
}

/** @param {import("./draw.js").Proof} proof */
function seats({ entrants, names, tables }) {
  const rows = tables.map((table) => el("li", { text: table.map((id) => names[id] ?? "").join(", ") }));
  const count = t("{players} players, {tables} tables", { players: entrants.length, tables: tables.length });
  const text = t("Checked in this browser: promise and seats are what the seed gives.");
  return el(
    "div",
    { class: "rounds__verdict", role: "status" },
    el("p", { text }),
    el("details", {}, el("summary", { text: count }), el("ol", {}, ...rows)),
  );
}

document.addEventListener("click", (event) => {
  const button = around(event, "button[data-check]");
  if (button instanceof HTMLButtonElement) check(button);
});
document.addEventListener("visibilitychange", look);
setInterval(tick, 1000);
setInterval(lookAgain, LOOK_EVERY * (1 + Math.random() / 4));
connect({
  onState(state) {
    if (showLine(state)) look();
  },
  onMessage(message) {
    if (message.type === "news") showNews();
    else if (message.type === "standings") hear(message);
    else if (calledByTournament(message)) look();
  },
});
tick();
