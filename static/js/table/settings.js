// @ts-check
// What this browser remembers of its player: sounds, colours, sizes. Never anything that matters to a game.

/**
 * `notices` calls by a notice of the device, `asked` is whether the player was asked for it; `doubleTap` discards.
 *
 * @typedef {Object} Settings
 * @property {boolean} sound
 * @property {boolean} vibrate
 * @property {boolean} notices
 * @property {boolean} asked
 * @property {boolean} doubleTap
 * @property {boolean} fourColours
 * @property {boolean} largeCards
 * @property {boolean} discards the drawer of discards is open
 * @property {"dark" | "light" | "device"} look
 * @property {"green" | "blue" | "wine" | "slate"} felt
 * @property {"red" | "blue" | "green" | "violet"} deck
 */

/** @type {Settings} */
const DEFAULTS = {
  sound: true,
  vibrate: true,
  notices: true,
  asked: false,
  doubleTap: true,
  fourColours: true,
  largeCards: false,
  discards: false,
  look: "dark",
  felt: "green",
  deck: "red",
};
/** The same stands in look.js, which every page has. */
const KEY = "table-settings";

/** @returns {Partial<Settings>} */
function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/** @type {Settings} */
export const settings = { ...DEFAULTS, ...stored() };

/**
 * Changes a setting, and remembers it where the browser lets it.
 *
 * @template {keyof Settings} K
 * @param {K} name
 * @param {Settings[K]} value
 */
export function change(name, value) {
  settings[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A browser that stores nothing still plays.
  }
  dispatchEvent(new CustomEvent("look", { detail: settings.look }));
  apply();
}

export function apply() {
  const { body } = document;
  document.documentElement.classList.toggle("two-colours", !settings.fourColours);
  body.classList.toggle("large-cards", settings.largeCards);
  body.dataset.felt = settings.felt;
  body.dataset.deck = settings.deck;
}

addEventListener("storage", (event) => {
  if (event.key !== KEY) return;
  Object.assign(settings, DEFAULTS, stored());
  apply();
});

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
