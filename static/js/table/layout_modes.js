// @ts-check
// The three shapes of the room. The same conditions stand in table.css.

const UPRIGHT = matchMedia("(max-width: 699px) and (min-height: 560px), (max-width: 480px)");
const LOW = matchMedia("(max-height: 559px) and (min-width: 481px)");

/** @returns {import("./model/places.js").Mode} */
export function mode() {
  if (UPRIGHT.matches) return "upright";
  return LOW.matches ? "low" : "wide";
}

/**
 * Calls back when the room takes another shape.
 *
 * @param {() => void} callback
 */
export function whenModeChanges(callback) {
  UPRIGHT.addEventListener("change", callback);
  LOW.addEventListener("change", callback);
}
