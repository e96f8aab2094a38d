// @ts-check
// The deal of the day: how long it is until the next one, and a line to share that tells no card.

import { t } from "../shared/language.js";
import { timeLeft } from "../tournament/clock.js";

const BEAT = 1000;

/** Shows the time that is left; when it is over the page is another one. */
function tick() {
  for (const time of document.querySelectorAll("time[data-until]")) {
    const until = Number(/** @type {HTMLElement} */ (time).dataset.until) * 1000;
    const left = timeLeft(until - Date.now());
    if (left) time.textContent = left;
    else if (until > opened) return void location.reload();
  }
  setTimeout(tick, BEAT);
}

/** Offers to copy the line, or hands it to the phone's own sharing. */
function offerShare() {
  const line = document.getElementById("share-text");
  const button = document.getElementById("copy");
  const status = document.getElementById("copied");
  if (!line || !button || !status) return;
  const phone = typeof navigator.share === "function";
  button.textContent = phone ? t("Share") : t("Copy");
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      if (phone) await navigator.share({ text: line.textContent ?? "" });
      else {
        await navigator.clipboard.writeText(line.textContent ?? "");
        status.textContent = t("Copied.");
      }
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      getSelection()?.selectAllChildren(line);
      status.textContent = t("Copy the marked line.");
    }
  });
}

const opened = Date.now();
tick();
offerShare();
