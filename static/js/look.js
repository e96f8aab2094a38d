// @ts-check
// The look and the colours of suits that the player has picked for this device: set before anything is drawn, kept on every page of theirs.
{
  /** Where the table keeps its settings, the look among them. The same stands in table/settings.js. */
  const KEY = "table-settings";
  const root = document.documentElement;
  const device = matchMedia("(prefers-color-scheme: light)");

  /** @returns {{look?: string, fourColours?: boolean}} */
  const stored = () => {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
    } catch {
      return {};
    }
  };

  const paint = (look = stored().look ?? "dark") => {
    root.dataset.look = look === "light" || (look === "device" && device.matches) ? "light" : "dark";
    root.classList.toggle("two-colours", stored().fourColours === false);
    for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-pick-look]")))
      each.setAttribute("aria-pressed", String(each.dataset.pickLook === look));
    const bar = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=theme-color]"));
    const paper = getComputedStyle(root).getPropertyValue("--bg");
    if (bar && paper) bar.content = paper;
  };

  /** @param {string} look */
  const pick = (look) => {
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...stored(), look }));
    } catch {
      // A browser that stores nothing shows the look until the page is left.
    }
    paint(look);
  };

  paint();
  addEventListener("DOMContentLoaded", () => paint());
  addEventListener("storage", () => paint());
  device.addEventListener("change", () => paint());
  addEventListener("look", (event) => paint(/** @type {CustomEvent<string>} */ (event).detail));
  addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-pick-look]") : null;
    if (button instanceof HTMLElement) pick(button.dataset.pickLook ?? "dark");
  });
}
