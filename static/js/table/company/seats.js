// @ts-check
// What the seats show of people: a picture, a button to ask more, and what was just said.

import { el, icon, setAttr } from "../../shared/dom.js";
import { aboutPlayer, SAY } from "./words.js";

const SHOWN_MS = 4500;

/** @import { Companion } from "./company.js" */

/**
 * @param {Companion[]} companions
 * @param {number | null} mine
 * @param {{say: () => unknown, about: (companion: Companion) => unknown}} acts
 */
export function decorate(companions, mine, { say: speak, about }) {
  const bySeat = new Map(companions.map((one) => [one.seat, one]));
  for (const node of avatars()) {
    const seat = seatOf(node);
    const companion = bySeat.get(seat);
    portrait(node, companion?.avatar ?? "");
    if (seat === mine && node.closest("#own-seat")) button(node, SAY, speak, "say");
    else if (companion?.player && seat !== mine) button(node, aboutPlayer(companion.name), () => about(companion));
    else node.querySelector(".seat-about")?.remove();
  }
}

/**
 * Shows for a moment what the player of the seat says.
 *
 * @param {number} seat
 * @param {number | null} mine
 * @param {Node | string} content
 */
export function say(seat, mine, content) {
  const at = seat === mine ? "#own-seat" : `#seats [data-key="${seat}"]`;
  const node = /** @type {HTMLElement | null} */ (document.querySelector(at));
  if (!node) return;
  node.querySelector(".seat-says")?.remove();
  const bubble = el("div", { class: `seat-says ${sideOf(node)}`, "aria-hidden": "true" }, content);
  node.append(bubble);
  setTimeout(() => bubble.remove(), SHOWN_MS);
}

/**
 * At the edges of the felt a bubble grows inward; one's own seat lies at the left.
 *
 * @param {HTMLElement} node
 */
function sideOf(node) {
  const left = Number.parseFloat(node.style.left || "0");
  if (left > 75) return "is-right";
  return left < 25 ? "is-left" : "";
}

/** @returns {HTMLElement[]} */
const avatars = () => [
  .../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#seats .avatar, #own-seat .avatar")),
];

/** @type {(avatar: HTMLElement) => number} */
const seatOf = (avatar) => Number(avatar.closest("[data-seat]")?.getAttribute("data-seat"));

/** @type {(avatar: HTMLElement, address: string) => void} */
function portrait(avatar, address) {
  const shown = avatar.querySelector(".portrait");
  if (!address) shown?.remove();
  else if (shown) setAttr(shown, "src", address);
  else avatar.querySelector(".initial")?.after(el("img", { class: "portrait", src: address, alt: "" }));
}

/** @type {(avatar: HTMLElement, text: string, run: () => unknown, sign?: string) => void} */
function button(avatar, text, run, sign) {
  let node = /** @type {HTMLButtonElement | null} */ (avatar.querySelector(".seat-about"));
  if (!node) {
    node = el("button", { class: "seat-about", type: "button" });
    if (sign) node.append(el("span", { class: "seat-sign" }, icon(sign)));
    avatar.append(node);
  }
  setAttr(node, "aria-label", text);
  setAttr(node, "title", text);
  node.onclick = run;
}
