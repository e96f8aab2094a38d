// @ts-check
// The page of health keeps itself up to date while somebody looks at it, without moving anything else.

import { setText } from "../shared/dom.js";
import { find } from "../shared/query.js";

const EVERY_MS = 5000;
const place = find(document, "#health", HTMLElement);
const status = find(document, "#health-told", HTMLElement);

async function refresh() {
  try {
    const answer = await fetch("?part=1", { headers: { "X-Requested-With": "fetch" }, redirect: "error" });
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = await answer.text();
    // The server escapes what it sends; it is the same fragment that the page began with.
    const part = new DOMParser().parseFromString(fresh, "text/html");
    place.replaceChildren(...part.body.childNodes);
    say("");
  } catch {
    say("The page could not be refreshed: what you see may be out of date.");
  }
}

/** @param {string} text */
function say(text) {
  setText(status, text);
}

setInterval(() => {
  if (!document.hidden) refresh();
}, EVERY_MS);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
