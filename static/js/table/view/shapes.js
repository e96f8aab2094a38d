// @ts-check
// How much room the own cards take in each form of the page, in px.

import { settings } from "../../shared/settings.js";
import { mode } from "../layout_modes.js";

/** @import { Shape } from "../model/layout.js" */

/** @type {Shape} */
const WIDE = { pad: 8, gap: 14, rowGap: 7, label: 21, lift: 14, foot: 5, most: 114 };
/** @type {Shape} */
const UPRIGHT = { pad: 4, gap: 5, rowGap: 3, label: 18, lift: 10, foot: 3, most: 84, touch: 44 };
/** @type {Shape} */
const LOW = { pad: 5, gap: 7, rowGap: 2, label: 16, lift: 9, foot: 3, most: 84, touch: 44, low: true };

/** How much wider the widest card may be where the player has chosen larger ones. */
const LARGER = 1.35;

/** The measures of this moment: by the form of the page, and the cards that the player has chosen. */
export function shapeNow() {
  const shape = { low: LOW, upright: UPRIGHT, wide: WIDE }[mode()];
  return settings.largeCards ? { ...shape, most: shape.most * LARGER } : shape;
}
