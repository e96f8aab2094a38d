// @ts-check
// What an adjustment would do, told while it is written: the server reckons it, and asks again when it is sent.

import { find } from "../shared/query.js";

const WAIT_MS = 300;
const place = find(document, "#adjustment-preview", HTMLElement);
const form = find(document, "#adjustment_form", HTMLFormElement);
let waiting = 0;

form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(ask, WAIT_MS);
});

async function ask() {
  const sent = new FormData(form);
  const query = new URLSearchParams();
  for (const name of ["name", "currency", "amount"]) query.set(name, String(sent.get(name) ?? ""));
  try {
    const answer = await fetch(`${place.dataset.address}?${query}`, { redirect: "error" });
    if (!answer.ok) return;
    const { state, text } = await answer.json();
    place.dataset.state = state;
    place.textContent = text;
  } catch {
    // What it does is told once it is sent.
  }
}
