// @ts-check
// A page that shows what belongs to a day, such as today's refill, renews itself when the day is over. Where somebody
// has begun to write, it says so instead.

import { t } from "./language.js";

/** The longest that a timer may be set for; and milliseconds within which all browsers renew, not all at once. */
const LONGEST = 2 ** 31 - 1;
const SPREAD = 4000;

/**
 * Returns how many milliseconds are left of the day.
 *
 * @param {number} left seconds that were left when the page was made
 * @param {number} since milliseconds since then
 */
export function remaining(left, since) {
  return Math.max(0, left * 1000 - since);
}

/**
 * Returns whether somebody has begun to write on the page, or is told there what was wrong in a form.
 *
 * @param {Document} page
 */
export function isWritten(page) {
  if (page.querySelector(".form-error, [aria-invalid=true], dialog[open]")) return true;
  const fields = /** @type {NodeListOf<HTMLInputElement | HTMLTextAreaElement>} */ (
    page.querySelectorAll("main :is(input:not([type=hidden], [type=checkbox], [type=radio]), textarea)")
  );
  return [...fields].some((field) => field.value !== field.defaultValue);
}

/** @param {Document} page */
function tell(page) {
  const told = page.createElement("p");
  told.className = "notice day-over";
  told.setAttribute("role", "status");
  const again = page.createElement("a");
  again.href = location.pathname + location.search;
  again.textContent = t("Show this page anew");
  told.append(t("The day is over: what stands here is of yesterday."), " ", again);
  page.querySelector("main")?.prepend(told);
}

/** @param {HTMLMetaElement} meta */
function watch(meta) {
  const left = Number(meta.content);
  const began = Date.now();
  let over = false;
  const look = () => {
    const ms = remaining(left, Date.now() - began);
    if (over) return;
    if (ms > 0) {
      setTimeout(look, Math.min(LONGEST, ms));
      return;
    }
    over = true;
    if (isWritten(document)) tell(document);
    else setTimeout(() => location.replace(location.pathname + location.search), Math.random() * SPREAD);
  };
  look();
  // Timers stand still while a device sleeps.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && remaining(left, Date.now() - began) === 0) look();
  });
}

if (typeof document !== "undefined") {
  /** @type {HTMLMetaElement | null} */
  const meta = document.querySelector("meta[name=day-left]");
  if (meta) watch(meta);
}
