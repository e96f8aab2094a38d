// @ts-check
// Stakes and waiting tables as they are now: the socket says which have changed, the server draws them.

import { follow } from "../shared/follow.js";
import { find } from "../shared/query.js";
import { showLook } from "./connection.js";

/** As long as the server shows what it has read before: asked sooner, it might not know of the change. */
const WAIT_MS = 500;
/** A look that failed is tried again, each time after twice as long, but for the last ones. */
const LONGEST_MS = 16_000;

/** @type {Set<number>} */
const changed = new Set();
const address = find(document, "[data-now]").dataset.now;
let timer = 0;
let wait = WAIT_MS;

/**
 * Shows these stakes as they are now, and the tables where people wait. Everybody asks in a moment of their own.
 *
 * @param {number[]} stakes
 */
export function showNow(stakes) {
  for (const id of stakes) changed.add(id);
  if (!timer) timer = setTimeout(ask, wait * (1 + Math.random()));
}

async function ask() {
  timer = 0;
  if (document.hidden) return;
  const rows = [...changed].filter((id) => document.getElementById(`stake-${id}`));
  changed.clear();
  const query = new URLSearchParams(rows.map((id) => ["stake", String(id)]));
  const answer = await fetch(`${address}?${query}`, { credentials: "same-origin" }).catch(() => null);
  const text = answer?.ok ? await answer.text().catch(() => null) : null;
  showLook("rows", text !== null);
  wait = text === null ? Math.min(2 * wait, LONGEST_MS) : WAIT_MS;
  if (text === null) return void showNow(rows);
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const id of ["waiting-tables", "waiting-none", ...rows.map((row) => `stake-${row}`)]) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old && fresh) follow(old, fresh);
    else old?.remove();
  }
}

document.addEventListener("visibilitychange", () => {
  if (changed.size) showNow([]);
});
