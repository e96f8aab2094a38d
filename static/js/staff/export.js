// @ts-check
// How far an export is while the server writes it: the file itself comes by the form, with or without this page module.

import { setText } from "../shared/dom.js";
import { find } from "../shared/query.js";

const EVERY_MS = 400;
const form = find(document, "#export", HTMLFormElement);
const field = find(form, "[name=ticket]", HTMLInputElement);
const place = find(document, "#export-progress", HTMLElement);
const bar = find(place, "progress", HTMLProgressElement);
const status = find(place, "[role=status]", HTMLElement);
const button = find(form, "[type=submit]", HTMLButtonElement);
let watching = 0;

form.addEventListener("submit", () => {
  const ticket = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));
  field.value = ticket.join("");
  place.hidden = false;
  bar.removeAttribute("value");
  say("The rows are being counted.");
  // Not before the browser has read the form.
  setTimeout(() => {
    button.disabled = true;
  });
  watch(field.value);
});

// Whoever comes back to the page may ask again.
addEventListener("pageshow", () => {
  button.disabled = false;
});

/** @param {string} ticket */
function watch(ticket) {
  clearInterval(watching);
  watching = setInterval(async () => {
    const known = await ask(ticket);
    if (known === null || known.rows === undefined || ticket !== field.value) return;
    bar.max = Math.max(known.of, 1);
    bar.value = known.of ? known.rows : 1;
    if (known.rows < known.of) {
      say(`${grouped(known.rows)} of ${grouped(known.of)} rows written.`);
      return;
    }
    clearInterval(watching);
    button.disabled = false;
    say(`All ${grouped(known.of)} rows are written: your browser receives the file.`);
  }, EVERY_MS);
}

/**
 * How far the export is; null where that could not be asked.
 *
 * @param {string} ticket
 * @returns {Promise<{rows?: number, of: number} | null>}
 */
async function ask(ticket) {
  try {
    const answer = await fetch(`${form.dataset.progress}?ticket=${ticket}`, { redirect: "error" });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // Asked again in a moment.
  }
}

/** @param {number} rows */
function grouped(rows) {
  return rows.toLocaleString("en-IN");
}

/** @param {string} text */
function say(text) {
  setText(status, text);
}
