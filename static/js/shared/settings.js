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

/** @typedef {{stored: () => Partial<Settings>, store: (kept: Settings) => void}} DeviceSettings */

/** As theme.js keeps them, which every page has: it paints look and colours of suits before anything is drawn. */
const device = /** @type {{deviceSettings?: DeviceSettings}} */ (globalThis).deviceSettings;

/** @type {Settings} */
export const settings = { ...DEFAULTS, ...device?.stored() };

/**
 * Changes a setting, and remembers it where the browser lets it.
 *
 * @template {keyof Settings} K
 * @param {K} name
 * @param {Settings[K]} value
 */
export function change(name, value) {
  settings[name] = value;
  device?.store(settings);
  apply();
}

export function apply() {
  const { body } = document;
  body.classList.toggle("large-cards", settings.largeCards);
  body.dataset.felt = settings.felt;
  body.dataset.deck = settings.deck;
}

addEventListener("storage", () => {
  Object.assign(settings, DEFAULTS, device?.stored());
  apply();
});

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
