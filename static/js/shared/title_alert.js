// @ts-check
// The window's title and icon while somebody is called who looks elsewhere: what for, and how many seconds are left.

import { t } from "./language.js";

const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
const usual = icon?.href ?? "";
/** From here on the icon is red. */
const LOW = 10;

/** @type {(seconds: number) => string} */
export const secondsText = (seconds) => t("{seconds} s", { seconds });

/**
 * Shows the title, with the seconds before it and in the icon; null seconds show it alone, and the usual icon.
 *
 * @param {string} title
 * @param {number | null} seconds
 */
export function showAttention(title, seconds) {
  const text = seconds === null ? title : `${secondsText(seconds)} · ${title}`;
  if (document.title !== text) document.title = text;
  const wanted = seconds === null ? usual : picture(seconds);
  if (icon && icon.href !== wanted) icon.href = wanted;
}

/** @param {number} seconds */
function picture(seconds) {
  const [back, ink] = seconds <= LOW ? ["#b3261e", "#fff"] : ["#e8c67c", "#1b1508"];
  const text = `<text x="16" y="22.500" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="18"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="${back}"/>${text} fill="${ink}">${seconds}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
