// @ts-check
// The look and the colours of suits that the player has picked for this device: set before anything is drawn, kept on every page of theirs.
{
  /** Where this browser keeps the settings of its player. */
  const KEY = "table-settings";
  const root = document.documentElement;
  const device = matchMedia("(prefers-color-scheme: light)");

  /** @returns {Record<string, any>} */
  const stored = () => {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
    } catch {
      return {};
    }
  };

  /**
   * Changes some of what is stored. A browser that stores nothing shows it until the page is left.
   *
   * @param {Record<string, any>} changes
   */
  const store = (changes) => {
    const kept = { ...stored(), ...changes };
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // Then only this page shows it.
    }
    paint(kept);
  };

  const paint = ({ look = "dark", fourColours = true } = stored()) => {
    root.dataset.look = look === "light" || (look === "device" && device.matches) ? "light" : "dark";
    root.classList.toggle("two-colours", !fourColours);
    for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-pick-look]")))
      each.setAttribute("aria-pressed", String(each.dataset.pickLook === look));
    const bar = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=theme-color]"));
    const paper = getComputedStyle(root).getPropertyValue("--bg");
    if (bar && paper) bar.content = paper;
  };

  paint();
  addEventListener("DOMContentLoaded", () => paint());
  addEventListener("storage", () => paint());
  device.addEventListener("change", () => paint());
  addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-pick-look]") : null;
    if (button instanceof HTMLElement) store({ look: button.dataset.pickLook });
  });

  /** For scripts that know more of these settings. */
  Object.assign(globalThis, { deviceSettings: { stored, store } });
}
