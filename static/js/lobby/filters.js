// @ts-check
// Filters without a page load: the server answers the same page, its list is taken over.
import { find } from "../shared/query.js";
import { showLook } from "./connection.js";

/**
 * The filters that are set.
 *
 * @param {HTMLFormElement} form
 * @returns {[string, string][]}
 */
function filled(form) {
  const fields = [...new FormData(form)];
  return fields.flatMap(([name, value]) => (typeof value === "string" && value !== "" ? [[name, value]] : []));
}

/** @param {HTMLFormElement} form what is set behind the button shows on it */
function showSet(form) {
  const isSet = filled(form).some(([name]) => name !== "family");
  form.classList.toggle("is-set", isSet);
}

/**
 * On phones the filters beside the families unfold over the list, and fold again when it is looked at.
 *
 * @param {HTMLFormElement} form
 */
function unfoldMore(form) {
  const button = find(form, ".filters__more", HTMLButtonElement);
  const isOpen = () => button.getAttribute("aria-expanded") === "true";
  const unfold = (/** @type {boolean} */ open) => button.setAttribute("aria-expanded", String(open));
  button.addEventListener("click", () => unfold(!isOpen()));
  document.addEventListener("click", (event) => {
    if (isOpen() && event.target instanceof Node && !form.contains(event.target)) unfold(false);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen()) return;
    unfold(false);
    button.focus();
  });
}

/** Where the list was to be brought anew by itself and could not, it is tried again after so long or twice as long. */
const AGAIN_MS = 8000;

/**
 * Returned is what brings the list anew by itself; whoever asked for it is led to the page where it does not come.
 *
 * @param {HTMLFormElement} form
 */
export function liveFilters(form) {
  let [latest, typing, again] = [0, 0, 0];

  async function show(isAsked = true) {
    clearTimeout(again);
    const request = ++latest;
    const query = new URLSearchParams(filled(form));
    const address = query.size ? `${form.action}?${query}` : form.action;
    const list = find(document, "#stakes", HTMLElement);
    list.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (request !== latest) return;
      list.replaceChildren(...find(page, "#stakes", HTMLElement).childNodes);
      showErrors(page);
      history.replaceState(null, "", address);
      showSet(form);
      showLook("list", true);
      list.setAttribute("aria-busy", "false");
    } catch {
      if (request !== latest) return;
      if (isAsked) return void form.submit();
      list.setAttribute("aria-busy", "false");
      showLook("list", false);
      again = setTimeout(() => show(false), AGAIN_MS * (1 + Math.random()));
    }
  }

  /** @param {Document} page */
  function showErrors(page) {
    for (const old of form.querySelectorAll(".filters__error")) old.remove();
    form.append(...page.querySelectorAll("#filters .filters__error"));
  }

  unfoldMore(form);
  showSet(form);
  form.addEventListener("change", () => {
    clearTimeout(typing);
    show();
  });
  form.addEventListener("input", (event) => {
    if (!(event.target instanceof HTMLInputElement) || event.target.type !== "number") return;
    clearTimeout(typing);
    typing = setTimeout(show, 400);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });
  return () => show(false);
}
