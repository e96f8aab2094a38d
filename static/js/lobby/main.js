// @ts-check
// The lobby comes alive: counts and tables as they change, filters in place, the buy-in in a dialog.

import { showNews } from "../company/news.js";
import { t } from "../shared/language.js";
import { around, find } from "../shared/query.js";
import { calledByTournament } from "../tournament/call.js";
import { buyInDialog } from "./buy_in.js";
import { liveFilters } from "./filters.js";
import { connect } from "./socket.js";
import { showStake } from "./stakes.js";
import { showWaiting } from "./waiting.js";

const CONNECTION = { first: t("Connecting…"), live: t("Live"), again: t("Reconnecting…"), off: t("You are offline") };
/** @type {Map<number, import("./types.js").Stake>} */
const latest = new Map();
const connection = find(document, "#connection", HTMLElement);
const title = document.title;

const reload = liveFilters(find(document, "#filters", HTMLFormElement), () => {
  for (const stake of latest.values()) showStake(stake);
});

const dialog = document.getElementById("buy-in");
if (dialog instanceof HTMLDialogElement) {
  const open = buyInDialog(dialog);
  document.addEventListener("click", (event) => {
    const link = around(event, "a[data-sit]");
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // Amounts of money are typed on their own page.
    const stake = link.closest("[data-stake]")?.querySelector(".stake__sit");
    if (stake?.getAttribute("data-currency") !== "FUN") return;
    event.preventDefault();
    open(link);
  });
}

connect({
  onState(state) {
    connection.hidden = false;
    connection.dataset.state = state;
    if (connection.textContent !== CONNECTION[state]) connection.textContent = CONNECTION[state];
  },
  onMessage(message) {
    if (message.type === "stakes") {
      latest.clear();
      message.stakes.forEach(take);
      showWaiting(latest.values());
    } else if (message.type === "stake") {
      const isNew = message.stake.active !== false && !latest.has(message.stake.id);
      take(message.stake);
      showWaiting(latest.values());
      if (isNew) reload();
    } else if (message.type === "your_turn") {
      callToTable(message.table);
    } else if (message.type === "news") {
      showNews();
    } else {
      calledByTournament(message);
    }
  },
});

/** @param {import("./types.js").Stake} stake */
function take(stake) {
  if (stake.active === false) latest.delete(stake.id);
  else latest.set(stake.id, stake);
  showStake(stake);
}

/** @param {number} table */
function callToTable(table) {
  const bar = document.querySelector(".return-bar");
  if (!bar) {
    location.reload();
    return;
  }
  bar.classList.add("is-urgent");
  find(bar, "[data-your-turn]", HTMLElement).textContent = t("It is your turn.");
  find(bar, "a", HTMLAnchorElement).href = `/tables/${table}/`;
  document.title = t("Your turn · {title}", { title });
}
