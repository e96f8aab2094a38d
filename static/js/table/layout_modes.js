// @ts-check
// The three shapes of the room, as css/table/screens.css has them.

import { ofScreen } from "../shared/screen.js";

const shape = ofScreen("--mode");

/** @type {() => import("./model/places.js").Mode} */
export const mode = () => /** @type {import("./model/places.js").Mode} */ (shape.value || "wide");

/** Calls back when the room takes another shape. */
export const whenModeChanges = shape.whenChanged;
