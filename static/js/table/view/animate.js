// @ts-check
// Short flights of cards. They only decorate: the page is always already in its new state underneath.

import { cardBack, cardFace } from "../../shared/card_faces.js";
import { byId } from "../../shared/dom.js";
import { reducedMotion } from "../../shared/settings.js";

const EASE = "cubic-bezier(.2,.75,.25,1)";

/** @import { Place } from "../model/layout.js" */

/** @type {(place: Place, w: number) => string} */
const at = (place, w) => `translate(${place.x}px, ${place.y}px) scale(${place.w / w})`;

/**
 * Puts a card node at `to`; from wherever it is, or from `from`, it glides there.
 *
 * @param {HTMLElement} node
 * @param {Place | null} from
 * @param {Place} to
 * @param {{still?: boolean, delay?: number}} [how]
 */
export function glide(node, from, to, { still = false, delay = 0 } = {}) {
  const running = node.getAnimations?.().some((animation) => animation.id === "glide");
  const start = running ? seen(node) : from;
  for (const animation of node.getAnimations?.() ?? []) if (animation.id === "glide") animation.cancel();
  node.style.transformOrigin = "0 0";
  node.style.transform = `translate(${to.x}px, ${to.y}px)`;
  if (still || reducedMotion() || document.hidden) return;
  const first = start?.w
    ? { transform: at(start, to.w) }
    : { opacity: 0, transform: `translate(${to.x}px, ${to.y - 14}px)` };
  /** @type {Keyframe[]} */
  const frames = [first, { opacity: 1, transform: `translate(${to.x}px, ${to.y}px)` }];
  node.animate(frames, { id: "glide", duration: 240, delay, easing: EASE, fill: "backwards" });
}

/** @param {HTMLElement} node */
function seen(node) {
  const room = byId("room").getBoundingClientRect();
  const box = node.getBoundingClientRect();
  return { x: box.left - room.left, y: box.top - room.top, w: box.width };
}

/**
 * A card that crosses the table; null shows its back.
 *
 * @param {import("../../shared/types.js").Card | null} card
 * @param {Place | null} from
 * @param {Place} to
 * @param {{delay?: number, wildRank?: number | null, ms?: number}} [how]
 */
export function fly(card, from, to, { delay = 0, wildRank = null, ms = 340 } = {}) {
  if (reducedMotion() || document.hidden || !from?.w || !to?.w) return;
  const node = card ? cardFace(card, { wildRank, named: false }) : cardBack();
  node.style.setProperty("--w", `${to.w}px`);
  node.style.transformOrigin = "0 0";
  byId("flights").append(node);
  const frames = [
    { transform: at(from, to.w), opacity: 1 },
    { transform: at(to, to.w), opacity: 1, offset: 0.92 },
    { transform: at(to, to.w), opacity: 0 },
  ];
  const flight = node.animate(frames, { duration: ms, delay, easing: EASE, fill: "both" });
  for (const end of ["finish", "cancel"]) flight.addEventListener(end, () => node.remove());
}
