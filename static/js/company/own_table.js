// @ts-check
// A table on one's own terms: as many seats and deals as the chosen game has.

import { t } from "../shared/language.js";
import { find } from "../shared/query.js";

const form = find(document, "[data-own-table]", HTMLFormElement);
const book = find(form, "[name=book]", HTMLSelectElement);
const seats = find(form, "[name=seats]", HTMLInputElement);
const number = find(form, "[name=deals]", HTMLInputElement);

function follow() {
  const { least, most } = book.selectedOptions[0].dataset;
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
