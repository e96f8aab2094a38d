// @ts-check
// What lies under a dragged card: a pile, a place among the cards of a group, a melding box, room for a new group.

import { byId } from "../../shared/dom.js";
import { placeOf } from "../place.js";

/** @import { Card } from "../../shared/types.js" */
/** @import { Box, Tray } from "../model/layout.js" */
/** @import { Hand } from "../view/hand.js" */
/** @typedef {{x: number, y: number}} Point */

/**
 * A pile, or a group in the hand or in a `box` of the melding screen; the `caret` shows the place among its cards.
 *
 * @typedef {{pile: string, caret?: undefined}} PileTarget
 * @typedef {import("../model/arrangement.js").Target & {box?: Element, caret?: Point & {h: number}}} HandTarget
 * @typedef {PileTarget | HandTarget} DropTarget
 */

/**
 * What lies at this point for these cards; null where they can lie nowhere.
 *
 * @param {Point} point
 * @param {Card[]} cards
 * @param {string[]} piles those that one of the cards may be laid on
 * @param {Hand} hand
 * @returns {DropTarget | null}
 */
export function targetAt(point, cards, piles, hand) {
  const pile = piles.find((each) => isInside(point, placeOf(byId(each)), 20));
  if (pile) return { pile };
  if (isInside(point, placeOf(byId("new-group")), 4)) return { group: "new" };
  const tray = [...hand.boxTrays, ...hand.layout.trays].find((each) => isInside(point, each, 4));
  if (tray) return into(tray, point, cards, hand);
  const box = boxes().find((each) => isInside(point, placeOf(each), 0));
  if (box) return { group: "new", melded: true, box };
  return isInside(point, placeOf(byId("hand-region")), 6) ? { group: "new" } : null;
}

const boxes = () => (byId("boxes").hidden ? [] : [...byId("boxes-grid").children]);

/**
 * The place among the cards that stay: before the first card whose middle lies right of the pointer.
 *
 * @param {Tray} tray
 * @param {Point} point
 * @param {Card[]} cards
 * @param {Hand} hand
 * @returns {HandTarget}
 */
function into(tray, point, cards, { layout }) {
  const step = tray.step ?? layout.step;
  const staying = tray.cards.filter((card) => !cards.includes(card));
  const places = staying.flatMap((card) => layout.cards.get(card) ?? []);
  const next = places.findIndex((place) => place.x + step / 2 > point.x);
  const at = (next < 0 ? staying.length : next) + earlier(tray, cards, layout.trays);
  const last = places.at(-1);
  const behind = last ? last.x + Math.min(last.w, step + 8) : tray.x + tray.w / 2;
  const x = next < 0 ? behind : places[next].x - 4;
  return { group: tray.key, at, caret: { x, y: tray.y + 4, h: tray.h - 26 }, melded: Boolean(tray.inBox) };
}

/**
 * How many cards of the same group stay in earlier rows (loose cards may be laid in two).
 *
 * @param {Tray} tray
 * @param {Card[]} cards
 * @param {Tray[]} trays
 */
function earlier(tray, cards, trays) {
  const rows = trays.filter((each) => each.key === tray.key && each.from < tray.from);
  return rows.flatMap((each) => each.cards).filter((card) => !cards.includes(card)).length;
}

/**
 * Shows what lies under the card; null shows nothing.
 *
 * @param {DropTarget | null} target
 * @param {HTMLElement} caret
 */
export function showTarget(target, caret) {
  for (const node of document.querySelectorAll(".drop-over")) node.classList.remove("drop-over");
  caret.hidden = !target?.caret;
  if (target?.caret) {
    caret.style.transform = `translate(${target.caret.x - 2}px, ${target.caret.y}px)`;
    caret.style.height = `${target.caret.h}px`;
  }
  if (target) nodeOf(target)?.classList.add("drop-over");
}

/** @param {DropTarget} target */
function nodeOf(target) {
  if ("pile" in target) return byId(target.pile);
  return target.box ?? (target.group === "new" ? byId("new-group") : null);
}

/**
 * Whether the point lies in the box, or no further beside it than `slack` px.
 *
 * @param {Point} point
 * @param {Box} box
 * @param {number} slack
 */
function isInside(point, box, slack) {
  const [right, bottom] = [box.x + box.w, box.y + box.h];
  const across = point.x >= box.x - slack && point.x <= right + slack;
  return across && point.y >= box.y - slack && point.y <= bottom + slack;
}
