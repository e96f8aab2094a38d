// The lobby comes alive: counts and tables as they change, filters in place, the buy-in in a dialog.
import { buyInDialog } from "./buy_in.js";
import { liveFilters } from "./filters.js";
import { connect } from "./socket.js";
import { showStake } from "./stakes.js";

const CONNECTION = { first: "Connecting…", live: "Live", again: "Reconnecting…", off: "You are offline" };
const latest = new Map();
const connection = document.getElementById("connection");
const title = document.title;

const reload = liveFilters(document.getElementById("filters"), () => latest.forEach(showStake));

const dialog = document.getElementById("buy-in");
if (dialog?.showModal) {
  const open = buyInDialog(dialog);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-sit]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // Amounts of money are typed on their own page.
    if (link.closest("[data-stake]").querySelector(".stake__sit").dataset.currency !== "FUN") return;
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
    } else if (message.type === "stake") {
      const isNew = message.stake.active !== false && !latest.has(message.stake.id);
      take(message.stake);
      if (isNew) reload();
    } else if (message.type === "your_turn") {
      callToTable(message.table);
    }
  },
});

function take(stake) {
  if (stake.active === false) latest.delete(stake.id);
  else latest.set(stake.id, stake);
  showStake(stake);
}

function callToTable(table) {
  const bar = document.querySelector(".return-bar");
  if (!bar) {
    location.reload();
    return;
  }
  bar.classList.add("is-urgent");
  bar.querySelector("[data-your-turn]").textContent = "It is your turn.";
  bar.querySelector("a").href = `/tables/${table}/`;
  document.title = `Your turn · ${title}`;
}
