// @ts-check
// What this browser remembers of its player: sounds, colours. Never anything that matters to a game.

/** @typedef {{sound: boolean, fourColours: boolean}} Settings */

/** @type {Settings} */
const DEFAULTS = { sound: true, fourColours: true };
const KEY = "table-settings";

/** @returns {Partial<Settings>} */
function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

export const settings = { ...DEFAULTS, ...stored() };

/**
 * Changes a setting, and remembers it where the browser lets it.
 *
 * @param {keyof Settings} name
 * @param {boolean} value
 */
export function change(name, value) {
  settings[name] = value;
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // A browser that stores nothing still plays.
  }
  apply();
}

export function apply() {
  document.body.classList.toggle("four-colours", settings.fourColours);
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
