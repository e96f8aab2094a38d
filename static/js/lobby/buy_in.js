// @ts-check
// The buy-in: slider and number together, within limits. The dialog is filled from the row that was clicked.

import { t } from "../shared/language.js";
import { find } from "../shared/query.js";

const figures = new Intl.NumberFormat("en-IN");

/**
 * Lets slider and number of a form follow each other.
 *
 * @param {HTMLElement} form
 */
export function joinFields(form) {
  /** @type {HTMLInputElement | null} */
  const range = form.querySelector("[data-range]");
  /** @type {HTMLInputElement | null} */
  const number = form.querySelector("[name=buy_in]");
  if (!range || !number) return;
  range.hidden = Number(range.max) <= Number(range.min);
  range.addEventListener("input", () => {
    number.value = String(rounded(range));
  });
  number.addEventListener("input", () => {
    range.value = number.value;
  });
}

/**
 * The slider moves in round figures; its ends are exact.
 *
 * @param {HTMLInputElement} range
 */
function rounded(range) {
  const [least, most, value] = [Number(range.min), Number(range.max), Number(range.value)];
  const step = 10 ** Math.max(0, String(most - least).length - 3);
  if (value - least < step / 2) return least;
  if (most - value < step / 2) return most;
  return Math.min(most, Math.max(least, Math.round(value / step) * step));
}

/**
 * The dialog of the lobby; returned is what opens it for a link of a stake.
 *
 * @param {HTMLDialogElement} dialog
 * @returns {(link: HTMLAnchorElement) => void}
 */
export function buyInDialog(dialog) {
  const form = find(dialog, "form", HTMLFormElement);
  const fields = {
    range: find(form, "[data-range]", HTMLInputElement),
    number: find(form, "[name=buy_in]", HTMLInputElement),
  };
  joinFields(form);
  find(dialog, "[data-close]", HTMLElement).addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  for (const end of /** @type {const} */ (["least", "most"])) {
    find(form, `[data-set=${end}]`, HTMLElement).addEventListener("click", () => {
      fields.range.value = end === "least" ? fields.range.min : fields.range.max;
      fields.number.value = fields.range.value;
    });
  }
  return (link) => open(dialog, form, fields, link);
}

/** @typedef {{range: HTMLInputElement, number: HTMLInputElement}} Fields */

/**
 * What may be put in: at least what the stake asks, at most what the player has and their own limits leave.
 *
 * @param {HTMLDialogElement} dialog
 * @param {HTMLElement} stake
 */
function limitsOf(dialog, stake) {
  const free = Number(dialog.dataset.free);
  // Empty where the player has set no limits.
  const room = dialog.dataset.room === "" ? Number.POSITIVE_INFINITY : Number(dialog.dataset.room);
  const can = Math.min(free, room);
  const { least, most, entry } = stake.dataset;
  return { free, room, can, least: Number(least), most: most && !entry ? Math.min(can, Number(most)) : can };
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {HTMLFormElement} form
 * @param {Fields} fields
 * @param {HTMLAnchorElement} link
 */
function open(dialog, form, fields, link) {
  const row = link.closest("[data-stake]");
  if (!row) return;
  const stake = find(row, ".stake__sit", HTMLElement);
  const { title = "", terms = "", entry } = stake.dataset;
  const limits = limitsOf(dialog, stake);
  form.action = link.pathname;
  find(form, "[name=table]", HTMLInputElement).value = new URLSearchParams(link.search).get("table") || "";
  find(dialog, "#buy-in-title", HTMLElement).textContent = title;
  find(dialog, "[data-terms]", HTMLElement).textContent = terms;
  showLimits(dialog, limits, Boolean(entry));
  const submit = find(dialog, "[data-submit]", HTMLButtonElement);
  const able = limits.can >= limits.least;
  submit.disabled = !able;
  submit.textContent = entry
    ? t("Pay {format} and sit down", { format: figures.format(Number(entry)) })
    : t("Sit down");
  fields.number.disabled = Boolean(entry);
  setLimits(form, fields, limits.least, Math.max(limits.least, limits.most));
  delete form.dataset.sent;
  dialog.showModal();
  (entry || !able ? submit : fields.number).focus();
}

/**
 * Shows the choice of an amount, or what stands in its way.
 *
 * @param {HTMLDialogElement} dialog
 * @param {ReturnType<typeof limitsOf>} limits
 * @param {boolean} fixed
 */
function showLimits(dialog, { free, room, can, least }, fixed) {
  find(dialog, "[data-choice]", HTMLElement).hidden = fixed || can < least;
  find(dialog, "[data-short]", HTMLElement).hidden = free >= least;
  find(dialog, "[data-beyond]", HTMLElement).hidden = free < least || room >= least;
  find(dialog, "[data-room-left]", HTMLElement).textContent = figures.format(Math.min(room, free));
}

/**
 * @param {HTMLFormElement} form
 * @param {Fields} fields
 * @param {number} least
 * @param {number} most
 */
function setLimits(form, { range, number }, least, most) {
  for (const field of [range, number]) Object.assign(field, { min: least, max: most });
  range.value = String(Math.max(least, Math.min(most, 10 * least, Math.floor(most / 2))));
  number.value = range.value;
  range.hidden = most <= least;
  find(form, "[data-set=least]", HTMLElement).textContent = figures.format(least);
  find(form, "[data-set=most]", HTMLElement).textContent = figures.format(most);
}
