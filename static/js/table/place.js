// @ts-check
// Where things stand in the room.

import { byId } from "../shared/dom.js";

/**
 * Where a node is, relative to the room: the coordinates that every animation and layout uses.
 *
 * @param {Element} node
 * @returns {import("./model/layout.js").Box}
 */
export function placeOf(node) {
  const room = byId("room").getBoundingClientRect();
  const box = node.getBoundingClientRect();
  return { x: box.left - room.left, y: box.top - room.top, w: box.width, h: box.height };
}
