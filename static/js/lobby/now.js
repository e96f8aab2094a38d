// @ts-check
// Stakes and waiting tables as they are now: the socket says which have changed, the server draws them.

import { follow } from "../shared/follow.js";
import { find } from "../shared/query.js";

/** As long as the server shows what it has read before: asked sooner, it might not know of the change. */
const WAIT_MS = 500;

/** @type {Set<number>} */
const changed = new Set();
const address = find(document, "[data-now]").dataset.now;
let timer = 0;

/**
 * Shows these stakes as they are now, and the tables where people wait. Everybody asks in a moment of their own.
 *
 * @param {number[]} stakes
 */
export function showNow(stakes) {
  for (const id of stakes) changed.add(id);
  if (!timer) timer = setTimeout(ask, WAIT_MS * (1 + Math.random()));
}

async function ask() {
  timer = 0;
  if (document.hidden) return;
  const rows = [...changed].filter((id) => document.getElementById(`stake-${id}`));
  changed.clear();
  const query = new URLSearchParams(rows.map((id) => ["stake", String(id)]));
  const answer = await fetch(`${address}?${query}`, { credentials: "same-origin" }).catch(() => null);
  if (!answer?.ok) {
    for (const id of rows) changed.add(id);
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["waiting-tables", "waiting-none", ...rows.map((row) => `stake-${row}`)]) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old && fresh) follow(old, fresh);
    else old?.remove();
  }
}

document.addEventListener("visibilitychange", () => {
  if (changed.size) showNow([]);
});
