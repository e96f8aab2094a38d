// @ts-check
// How the table stands now: who sits there, with what, and who is to move. No card of the running deal is known here.

import { byId, el, setText } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { chips, STATUSES, totalText } from "../shared/words.js";

/** @import { LiveSeat, WatchMessage } from "./types.js" */

/** When the running clock ends, by this page's own timer; null without one. */
let ends = /** @type {number | null} */ (null);

/**
 * @param {WatchMessage} picture
 * @param {number} now of the server, in ms
 */
export function showLive(picture, now) {
  const { live, table } = picture;
  ends = live.clock ? performance.now() + live.clock.deadline - now : null;
  setText(byId("now"), said(picture));
  const taken = live.seats.filter((seat) => seat.name !== null);
  const awaited = ["turn", "extra"].includes(live.clock?.kind ?? "") ? live.clock?.seat : null;
  byId("seats").replaceChildren(...taken.map((seat) => row(seat, table, seat.seat === awaited)));
  tickClock();
}

/** The seconds that are left. */
export function tickClock() {
  const clock = document.getElementById("clock");
  if (clock) setText(clock, ends === null ? "" : String(Math.max(0, Math.ceil((ends - performance.now()) / 1000))));
}

/** @type {(seat: LiveSeat, table: WatchMessage["table"], awaited: boolean) => HTMLElement} */
function row(seat, table, awaited) {
  const has = seat.total === null ? chips(seat.stack, table.money) : totalText(seat.total, table);
  const status = awaited ? t("To play") : (STATUSES[seat.status] ?? "");
  return el(
    "li",
    { class: `now__seat${awaited ? " is-turn" : ""}` },
    seat.place === null ? null : el("span", { class: "now__place", text: t("Place {place}", { place: seat.place }) }),
    el("b", { text: seat.name ?? "" }),
    el("span", { class: "now__has", text: has }),
    status ? el("small", {}, status, awaited ? el("span", { id: "clock", class: "now__clock" }) : null) : null,
  );
}

/** @type {(picture: WatchMessage) => string} */
function said({ live, deal }) {
  const number = live.deal;
  if (live.stopped) return t("This table is stopped until our staff have looked at it.");
  if (live.phase === "over") return t("The match is over.");
  if (live.phase === "playing" || live.phase === "melding") return t("Deal {number} is being played.", { number });
  if (live.phase === "waiting") return t("The table waits for players.");
  if (live.phase === "starting") return t("The next deal is about to begin.");
  return deal?.number === number
    ? t("Deal {number} is over, and is shown here.", { number })
    : t("Deal {number} is over, and is shown here next.", { number });
}
