// Puts pushed stakes into the rows that the server has rendered. Only what changed is touched.
const PHASES = { waiting: "waiting", starting: "starting", over: "over" };

export function showStake(stake) {
  const row = document.getElementById(`stake-${stake.id}`);
  if (!row) return false;
  if (stake.active === false) {
    row.remove();
    return true;
  }
  showCounts(row.querySelector("[data-live]"), stake);
  showTables(row, stake);
  return true;
}

function showCounts(live, stake) {
  const parts = [];
  if (stake.playing) parts.push(`${stake.playing} playing`);
  if (stake.waiting) parts.push(`${stake.waiting} waiting`);
  setText(live, parts.join(" · ") || "Nobody seated");
  live.classList.toggle("live--busy", stake.seated > 0);
}

function showTables(row, stake) {
  const list = row.querySelector("[data-tables]");
  const busy = stake.tables.filter((table) => table.seated > 0);
  const known = new Map([...list.children].map((item) => [item.dataset.table, item]));
  busy.forEach((table, index) => {
    const key = String(table.id);
    const item = known.get(key) || newItem(key);
    known.delete(key);
    fillItem(item, table, stake);
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] || null);
  });
  for (const gone of known.values()) gone.remove();
  row.querySelector("[data-quiet]").hidden = busy.length > 0;
}

function newItem(key) {
  const item = document.getElementById("table-row").content.firstElementChild.cloneNode(true);
  item.dataset.table = key;
  return item;
}

function fillItem(item, table, stake) {
  const seats = item.querySelector(".open-table__seats");
  while (seats.children.length < table.seats.length) seats.append(document.createElement("i"));
  table.seats.forEach((place, index) => {
    const look = place.name ? (place.bot ? "is-taken is-bot" : "is-taken") : "";
    if (seats.children[index].className !== look) seats.children[index].className = look;
  });
  setText(
    item.querySelector(".open-table__names"),
    table.seats
      .map((place) => place.name)
      .filter(Boolean)
      .join(", "),
  );
  setText(item.querySelector(".open-table__phase"), PHASES[table.phase] || "playing");
  let link = item.querySelector("[data-sit]");
  if (!link) {
    link = newItem(String(table.id)).querySelector("[data-sit]");
    item.append(link);
  }
  link.hidden = !table.joinable;
  const address = `/sit/${stake.id}/?table=${table.id}`;
  if (link.getAttribute("href") !== address) link.setAttribute("href", address);
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
