// @ts-check
// What a page says of its line, and of whether what stands on it is what the server has by now.

import { setText } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { find } from "../shared/query.js";

/** @import { State } from "./socket.js" */

const WORDS = {
  first: t("Connecting…"),
  live: t("Live"),
  stale: t("Not up to date"),
  again: t("Reconnecting…"),
  off: t("You are offline"),
};
/** @type {State} */
let line = "first";
/** @type {Set<string>} the parts of the page that the last look did not bring */
const stale = new Set();

/** @type {(state: State) => boolean} Whether a line that was lost is back. */
export function showLine(state) {
  const isBack = line === "again" && state === "live";
  line = state;
  write();
  return isBack;
}

/** @type {(part: string, isCurrent: boolean) => void} whether the last look brought what the server has */
export function showLook(part, isCurrent) {
  if (isCurrent) stale.delete(part);
  else stale.add(part);
  write();
}

function write() {
  const node = find(document, "#connection", HTMLElement);
  const state = stale.size > 0 && line === "live" ? "stale" : line;
  node.hidden = false;
  node.dataset.state = state;
  setText(node, WORDS[state]);
}
