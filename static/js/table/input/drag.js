// @ts-check
// Dragging cards by mouse, pen or finger: between and within groups, to a new group, to a box, to the piles.
// Own pointer-events code; nothing moves in the arrangement before the card is let go.

import { byId } from "../../shared/dom.js";
import { settings } from "../../shared/settings.js";
import { placeOf } from "../place.js";
import { showTarget, targetAt } from "./target.js";

/** @import { Card } from "../../shared/types.js" */
/** @import { DropTarget, Point } from "./target.js" */

/**
 * A pressed card: by which pointer, from where, and how far from its corner.
 *
 * @typedef {{id: number, node: HTMLElement, card: Card, from: Point, dx: number, dy: number, w: number}} Press
 */

/**
 * Cards on their way: where the pointer is, and over what.
 *
 * @typedef {{cards: Card[], at: Point, target: DropTarget | null}} Way
 */

/** How far a finger may slip, in px, before a tap becomes a drag. */
const SLACK = 7;
/** Two taps on a card within so many ms are one act. */
const TWICE_MS = 350;
/** How far apart dragged cards lie, in px. */
const FAN = 18;

export class Drag {
  /**
   * `drop` is called when cards are let go over a target, `takeBack` when a melding box is tapped or activated by keys,
   * `tapTwice` when a card is tapped twice.
   *
   * @param {import("../model/state.js").Store} store
   * @param {import("../view/hand.js").Hand} hand
   * @param {(cards: Card[], target: DropTarget) => void} drop
   * @param {(group: number) => void} takeBack
   * @param {(card: Card) => void} tapTwice
   */
  constructor(store, hand, drop, takeBack, tapTwice) {
    this.table = store.table;
    this.own = store.own;
    this.hand = hand;
    this.drop = drop;
    this.takeBack = takeBack;
    this.tapTwice = tapTwice;
    this.tapped = { card: "", at: 0 };
    /** @type {Press | null} */
    this.press = null;
    /** @type {Way | null} */
    this.way = null;
    this.suppress = false;
    this.#listen(hand.node);
  }

  /** @param {HTMLElement} node */
  #listen(node) {
    node.addEventListener("pointerdown", (event) => this.#down(event));
    node.addEventListener("pointermove", (event) => this.#move(event));
    node.addEventListener("pointerup", (event) => this.#up(event));
    node.addEventListener("pointercancel", () => this.cancel());
    node.addEventListener("click", (event) => this.#click(event));
    node.addEventListener("dragstart", (event) => event.preventDefault());
    node.addEventListener("contextmenu", (event) => {
      if (around(event, ".card")) event.preventDefault();
    });
  }

  /** @param {PointerEvent} event */
  #down(event) {
    this.suppress = false;
    const node = around(event, ".card");
    const card = node?.dataset.card;
    if (!node || !card || event.button !== 0 || this.press) return;
    const from = pointOf(event);
    const place = this.hand.placeOf(card);
    if (!place) return;
    this.press = { id: event.pointerId, node, card, from, dx: from.x - place.x, dy: from.y - place.y, w: place.w };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.id) return;
    const at = pointOf(event);
    if (!this.way && Math.hypot(at.x - press.from.x, at.y - press.from.y) < SLACK) return;
    const way = this.way ?? this.#begin(press);
    if (!way) return;
    way.at = at;
    this.hand.follow();
    way.target = targetAt(at, way.cards, this.#piles(way.cards), this.hand);
    showTarget(way.target, this.hand.caret);
  }

  /**
   * Takes up the pressed card, with all selected ones where it is one of them; null where no card may be moved.
   *
   * @param {Press} press
   */
  #begin(press) {
    const { table, own, hand } = this;
    if (!table.can("arrange")) return null;
    const selected = hand.order().filter((card) => own.selected.has(card));
    const cards = own.selected.has(press.card) ? selected : [press.card];
    /** @type {Way} */
    const way = { cards, at: press.from, target: null };
    this.way = way;
    hand.dragging = { cards, placeFor: (card) => placeOnWay(card, way, press) };
    document.body.classList.add("is-dragging");
    for (const card of cards) hand.cards.get(card)?.classList.add("is-dragged");
    placeNewGroup();
    for (const pile of this.#piles(cards)) byId(pile).classList.add("drop-ready");
    press.node.setPointerCapture(press.id);
    return way;
  }

  /**
   * The piles that a single card may be laid on.
   *
   * @param {Card[]} cards
   */
  #piles(cards) {
    if (cards.length !== 1) return [];
    return [this.table.can("discard") ? "open" : "", this.table.can("finish") ? "finish" : ""].filter(Boolean);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { press, way } = this;
    if (!press || event.pointerId !== press.id) return;
    this.cancel();
    if (!way) return;
    this.suppress = true;
    setTimeout(() => {
      this.suppress = false;
    });
    const inHand = way.cards.every((card) => this.hand.order().includes(card));
    if (way.target && inHand) this.drop(way.cards, way.target);
  }

  cancel() {
    const { way, hand } = this;
    this.press = null;
    this.way = null;
    if (!way) return;
    hand.dragging = null;
    showTarget(null, hand.caret);
    document.body.classList.remove("is-dragging");
    for (const node of document.querySelectorAll(".drop-ready, .is-dragged")) {
      node.classList.remove("drop-ready", "is-dragged");
    }
    hand.render();
  }

  /**
   * A tap, or Space or Enter on the focused card; the click that ends a drag is none.
   *
   * @param {MouseEvent} event
   */
  #click(event) {
    if (this.suppress && event.detail > 0) return;
    const box = this.#boxAt(event);
    if (box !== null) return void this.#emptyBox(box, event.detail === 0);
    const label = around(event, ".tray-label");
    if (label) this.#chooseGroup(label.dataset.group ?? "");
    const card = around(event, ".card")?.dataset.card;
    if (!card) return;
    this.hand.focused = card;
    if (this.#isSecondTap(card, event)) return void this.tapTwice(card);
    this.own.toggle(card);
  }

  /** @type {(card: Card, event: MouseEvent) => boolean} */
  #isSecondTap(card, event) {
    const { card: last, at } = this.tapped;
    this.tapped = { card, at: event.timeStamp };
    return settings.doubleTap && event.detail > 0 && last === card && event.timeStamp - at < TWICE_MS;
  }

  /**
   * The group whose melding box was hit, be it a card, the label or the box itself; null anywhere else.
   *
   * @param {Event} event
   */
  #boxAt(event) {
    const card = around(event, ".card")?.dataset.card;
    const key = around(event, ".tray")?.dataset.group;
    const hit = this.hand.boxTrays.find((tray) => (card ? tray.cards.includes(card) : String(tray.key) === key));
    return typeof hit?.key === "number" ? hit.key : null;
  }

  /**
   * @param {number} group
   * @param {boolean} byKeys
   */
  #emptyBox(group, byKeys) {
    const [first] = this.own.arrangement.groups[group].cards;
    this.takeBack(group);
    if (byKeys) this.hand.focus(first);
  }

  /**
   * Selects a whole group, or releases it.
   *
   * @param {string} key
   */
  #chooseGroup(key) {
    const { arrangement, selected } = this.own;
    const cards = key === "loose" ? arrangement.loose : (arrangement.groups[Number(key)]?.cards ?? []);
    const all = cards.length > 0 && cards.every((card) => selected.has(card));
    this.own.select(all ? [] : cards);
  }
}

/**
 * The nearest such element around what was hit.
 *
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
const around = (event, selector) => /** @type {Element} */ (event.target).closest(selector);

/**
 * Where the pointer is, relative to the room.
 *
 * @param {PointerEvent} event
 * @returns {Point}
 */
function pointOf(event) {
  const room = byId("room").getBoundingClientRect();
  return { x: event.clientX - room.left, y: event.clientY - room.top };
}

/**
 * Dragged cards lie as a fan under the finger.
 *
 * @param {Card} card
 * @param {Way} way
 * @param {Press} press
 */
function placeOnWay(card, { cards, at }, press) {
  const behind = cards.indexOf(card) - cards.indexOf(press.card);
  return { x: at.x - press.dx + behind * FAN, y: at.y - press.dy, w: press.w };
}

/** The new-group target lies over the strip, above the hand: no card has to make room for it. */
function placeNewGroup() {
  const strip = placeOf(byId("hand-region"));
  const wide = Math.min(strip.w - 16, 460);
  Object.assign(byId("new-group").style, {
    transform: `translate(${(strip.w - wide) / 2}px, ${strip.y - 42}px)`,
    width: `${wide}px`,
    height: "38px",
  });
}
