// @ts-check
// The reminder of the time: the server says when it is due, and it stays until the player has acknowledged it.

import { byId, el, pageData } from "../shared/dom.js";
import { t } from "../shared/language.js";

const EVERY_MS = 60_000;
const headers = { accept: "application/json", "x-csrftoken": pageData("csrf") };

/** @typedef {{played_seconds: number, net: {amount: number, text: string}[]}} Today */

/**
 * Asks at once and then once a minute, as long as the player holds a seat.
 *
 * @param {import("./model/state.js").Store} store
 */
export function remind(store) {
  const look = async () => {
    if (!store.table.me || document.hidden || !byId("reminder").hidden) return;
    const answer = await fetch(pageData("careNow"), { headers }).catch(() => null);
    const reminder = answer?.ok ? await answer.json().catch(() => null) : null;
    if (reminder?.due && reminder.today) showReminder(reminder.today);
  };
  setInterval(look, EVERY_MS);
  document.addEventListener("visibilitychange", look);
  let started = false;
  store.subscribe(() => {
    if (started || !store.table.me) return;
    started = true;
    look();
  });
}

/** @param {Today} today */
function showReminder(today) {
  const bar = byId("reminder");
  const net = today.net.filter((one) => one.amount !== 0).map((one) => one.text);
  const done = el(
    "button",
    { class: "act is-main", id: "reminder-seen", type: "button", onclick: () => acknowledge(done) },
    t("I have seen it"),
  );
  bar.replaceChildren(
    el(
      "p",
      {},
      el("b", { text: t("You have played for {time} today.", { time: duration(today.played_seconds) }) }),
      el("span", {
        text: net.length > 0 ? t("Won or lost: {join}.", { join: net.join(", ") }) : t("Neither won nor lost."),
      }),
    ),
    done,
    el(
      "a",
      { class: "act link-act", href: pageData("care"), target: "_blank", rel: "noopener" },
      t("Limits and breaks"),
    ),
  );
  bar.hidden = false;
}

/** @param {HTMLButtonElement} button */
async function acknowledge(button) {
  button.disabled = true;
  const answer = await fetch(pageData("careSeen"), { method: "POST", headers }).catch(() => null);
  button.disabled = false;
  if (answer?.ok) byId("reminder").hidden = true;
}

/** @param {number} seconds */
function duration(seconds) {
  const minutes = Math.floor(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return hours > 0 ? t("{hours} h {rest} min", { hours, rest }) : t("{rest} min", { rest });
}
