// @ts-check
// The lobby comes alive: counts and tables as they change, filters in place, the buy-in in a dialog.

import { showNews } from "../company/news.js";
import { addressOf } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { around, find } from "../shared/query.js";
import { calledByTournament } from "../tournament/call.js";
import { buyInDialog } from "./buy_in.js";
import { showLine } from "./connection.js";
import { liveFilters } from "./filters.js";
import { showNow } from "./now.js";
import { connect } from "./socket.js";

/** @type {Set<number>} */
const offered = new Set();
const title = document.title;

const reload = liveFilters(find(document, "#filters", HTMLFormElement));

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
  onState: showLine,
  onMessage(message) {
    if (message.type === "stakes") {
      for (const { id } of message.stakes) offered.add(id);
      showNow([...document.querySelectorAll("[data-stake]")].map((row) => Number(row.getAttribute("data-stake"))));
    } else if (message.type === "stake") {
      const { id, active } = message.stake;
      if (active !== false && !offered.has(id)) reload();
      if (active === false) offered.delete(id);
      else offered.add(id);
      showNow([id]);
    } else if (message.type === "your_turn") {
      callToTable(message.table);
    } else if (message.type === "news") {
      showNews();
    } else {
      calledByTournament(message);
    }
  },
});

/** @param {number} table */
function callToTable(table) {
  const bar = document.querySelector(".return-bar");
  if (!bar) {
    location.reload();
    return;
  }
  bar.classList.add("is-urgent");
  find(bar, "[data-your-turn]", HTMLElement).textContent = t("It is your turn.");
  find(bar, "a", HTMLAnchorElement).href = addressOf("tablePage", table);
  document.title = t("Your turn · {title}", { title });
}
