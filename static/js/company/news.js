// @ts-check
// What waits for the player's answer, brought onto an open page when the server says that there is news.

import { pageData } from "../shared/dom.js";

/** The frame that this page stands in among the player's other tables, if it does. */
const frame = window.frameElement;
const isBehind = () => frame !== null && !frame.classList.contains("is-front");

/**
 * Shows what is there now; a page without a place for it shows nothing, nor does a table beside the one in front, so
 * that everything is there once.
 */
export async function showNews() {
  const place = document.getElementById("news");
  if (!place) return;
  if (isBehind()) return void place.replaceChildren();
  const answer = await fetch(pageData("news"), { credentials: "same-origin" }).catch(() => null);
  if (!answer?.ok || answer.redirected || isBehind()) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const next of page.querySelectorAll("input[name=next]")) next.setAttribute("value", location.pathname);
  // A tournament's call came by the socket: the server does not draw it, and its table waits on.
  place.replaceChildren(...place.querySelectorAll("#tournament-call"), ...page.body.childNodes);
}

/** Lets the player answer without leaving the page; in a frame, what there is to answer goes along to the front. */
export function answerQuietly() {
  if (frame) new MutationObserver(() => showNews()).observe(frame, { attributeFilter: ["class"] });
  document.getElementById("news")?.addEventListener("submit", async (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    event.preventDefault();
    const body = new FormData(form, event.submitter);
    await fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => null);
    showNews();
  });
}
