// @ts-check
// A table on one's own terms: only the fields that the chosen game has.

import { t } from "../shared/language.js";
import { find } from "../shared/query.js";

const form = find(document, "[data-own-table]", HTMLFormElement);
const book = find(form, "[name=book]", HTMLSelectElement);
const seats = find(form, "[name=seats]", HTMLInputElement);
const number = find(form, "[name=deals]", HTMLInputElement);

function follow() {
  const { perPoint, deals, least, most } = book.selectedOptions[0].dataset;
  const asks = { points: Boolean(perPoint), entry: !perPoint, deals: Boolean(deals) };
  for (const field of form.querySelectorAll("[data-only-for]")) {
    const name = field.getAttribute("data-only-for");
    field.toggleAttribute("hidden", !asks[/** @type {keyof typeof asks} */ (name)]);
  }
  Object.assign(seats, { min: least, max: most });
  find(form, "#id_seats_helptext", HTMLElement).textContent =
    least === most ? `${least}` : t("{least} to {most}", { least, most });
}

book.addEventListener("change", () => {
  number.value = book.selectedOptions[0].dataset.deals || number.value;
  follow();
  seats.value = String(Math.max(Number(seats.min), Math.min(Number(seats.max), Number(seats.value))));
});
follow();
