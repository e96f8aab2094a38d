// Dragging cards by mouse, pen or finger: between and within groups, to a new group, to a box, to the piles.
// Own pointer-events code; nothing moves in the arrangement before the card is let go.

import { byId, placeOf } from "../dom.js";

const SLACK = 7;

export class Drag {
  /** `drop(cards, target)` is called with {pile} or {group, at, melded} when cards are let go over a target,
   *  `takeBack(group)` when a melding box is tapped or activated by keys. */
  constructor(store, hand, drop, takeBack) {
    this.store = store;
    this.hand = hand;
    this.drop = drop;
    this.takeBack = takeBack;
    this.press = null;
    const node = hand.node;
    node.addEventListener("pointerdown", (event) => this.#down(event));
    node.addEventListener("pointermove", (event) => this.#move(event));
    node.addEventListener("pointerup", (event) => this.#up(event));
    node.addEventListener("pointercancel", () => this.cancel());
    node.addEventListener("click", (event) => this.#click(event));
    node.addEventListener("dragstart", (event) => event.preventDefault());
    node.addEventListener("contextmenu", (event) => event.target.closest(".card") && event.preventDefault());
  }

  #down(event) {
    this.suppress = false;
    const node = event.target.closest(".card");
    if (!node || event.button !== 0 || this.press) return;
    const { x, y } = this.#point(event);
    const place = this.hand.placeOf(node.dataset.card);
    if (!place) return;
    this.press = {
      id: event.pointerId,
      node,
      card: node.dataset.card,
      x,
      y,
      dx: x - place.x,
      dy: y - place.y,
      w: place.w,
    };
  }

  #point(event) {
    const room = byId("room").getBoundingClientRect();
    return { x: event.clientX - room.left, y: event.clientY - room.top };
  }

  #move(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.id) return;
    const point = this.#point(event);
    if (!press.cards) {
      if (Math.hypot(point.x - press.x, point.y - press.y) < SLACK || !this.store.can("arrange")) return;
      this.#begin();
      press.node.setPointerCapture(event.pointerId);
    }
    press.at = point;
    this.hand.follow();
    this.#show(this.#over(point));
  }

  #begin() {
    const { press, store, hand } = this;
    press.cards = store.selected.has(press.card)
      ? hand.order().filter((card) => store.selected.has(card))
      : [press.card];
    press.at = { x: press.x, y: press.y };
    hand.dragging = {
      cards: press.cards,
      placeFor: (card) => {
        const behind = press.cards.indexOf(card) - press.cards.indexOf(press.card);
        return { x: press.at.x - press.dx + behind * 18, y: press.at.y - press.dy, w: press.w };
      },
    };
    document.body.classList.add("is-dragging");
    for (const card of press.cards) hand.cards.get(card)?.classList.add("is-dragged");
    this.#placeNewGroup();
    for (const pile of this.#piles()) byId(pile).classList.add("drop-ready");
  }

  #piles() {
    if (this.press.cards.length !== 1) return [];
    return [this.store.can("discard") && "open", this.store.can("finish") && "finish"].filter(Boolean);
  }

  /** The new-group target lies over the strip, above the hand: no card has to make room for it. */
  #placeNewGroup() {
    const strip = placeOf(byId("hand-region"));
    const wide = Math.min(strip.w - 16, 460);
    Object.assign(byId("new-group").style, {
      transform: `translate(${(strip.w - wide) / 2}px, ${strip.y - 42}px)`,
      width: `${wide}px`,
      height: "38px",
    });
  }

  #over(point) {
    for (const pile of this.#piles()) if (inside(point, placeOf(byId(pile)), 20)) return { pile };
    if (inside(point, placeOf(byId("new-group")), 4)) return { group: "new" };
    const { hand } = this;
    const tray = [...hand.boxTrays, ...hand.layout.trays].find((each) => inside(point, each, 4));
    if (tray) return this.#into(tray, point);
    const box = this.#boxes().find((each) => inside(point, placeOf(each), 0));
    if (box) return { group: "new", melded: true, box };
    return inside(point, placeOf(byId("hand-region")), 6) ? { group: "new" } : null;
  }

  #boxes() {
    return byId("boxes").hidden ? [] : [...byId("boxes-grid").children];
  }

  /** The place among the cards that stay: before the first card whose middle lies right of the pointer. */
  #into(tray, point) {
    const step = tray.step ?? this.hand.layout.step;
    const staying = tray.cards.filter((card) => !this.press.cards.includes(card));
    const places = this.hand.layout.cards;
    const here = staying.findIndex((card) => places.get(card).x + step / 2 > point.x);
    const at = (here < 0 ? staying.length : here) + this.#before(tray);
    const next = here < 0 ? null : places.get(staying[here]);
    const last = staying.length ? places.get(staying.at(-1)) : null;
    const x = next ? next.x - 4 : last ? last.x + Math.min(last.w, step + 8) : tray.x + tray.w / 2;
    return { group: tray.key, at, tray, caret: { x, y: tray.y + 4, h: tray.h - 26 }, melded: tray.inBox };
  }

  /** Cards of the same group in earlier rows (loose cards may be laid in two). */
  #before(tray) {
    const earlier = this.hand.layout.trays.filter((each) => each.key === tray.key && each.from < tray.from);
    return earlier.flatMap((each) => each.cards).filter((card) => !this.press.cards.includes(card)).length;
  }

  #show(target) {
    this.press.target = target;
    for (const node of document.querySelectorAll(".drop-over")) node.classList.remove("drop-over");
    const { caret } = this.hand;
    caret.hidden = !target?.caret;
    if (target?.caret) {
      caret.style.transform = `translate(${target.caret.x - 2}px, ${target.caret.y}px)`;
      caret.style.height = `${target.caret.h}px`;
    }
    if (target?.pile) byId(target.pile).classList.add("drop-over");
    else if (target?.box) target.box.classList.add("drop-over");
    else if (target?.group === "new") byId("new-group").classList.add("drop-over");
  }

  #up(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.id) return;
    const { cards, target } = press;
    this.cancel();
    if (!cards) return;
    this.suppress = true;
    setTimeout(() => {
      this.suppress = false;
    });
    const held = cards.filter((card) => this.hand.order().includes(card));
    if (target && held.length === cards.length) this.drop(cards, target);
  }

  cancel() {
    const { press, hand } = this;
    this.press = null;
    if (!press?.cards) return;
    hand.dragging = null;
    hand.caret.hidden = true;
    document.body.classList.remove("is-dragging");
    for (const node of document.querySelectorAll(".drop-over, .drop-ready, .is-dragged")) {
      node.classList.remove("drop-over", "drop-ready", "is-dragged");
    }
    hand.render();
  }

  /** A tap, or Space or Enter on the focused card; the click that ends a drag is none. */
  #click(event) {
    if (this.suppress && event.detail > 0) return;
    const box = this.#boxAt(event.target);
    if (box !== null) return this.#emptyBox(box, event.detail === 0);
    const label = event.target.closest(".tray-label");
    if (label) this.#chooseGroup(label.dataset.group);
    const card = event.target.closest(".card")?.dataset.card;
    if (!card) return;
    this.hand.focused = card;
    this.store.toggle(card);
  }

  /** The group whose melding box this is a part of, be it a card, the label or the box itself; null anywhere else. */
  #boxAt(node) {
    const card = node.closest(".card")?.dataset.card;
    const key = node.closest(".tray")?.dataset.group;
    return (
      this.hand.boxTrays.find((tray) => (card ? tray.cards.includes(card) : String(tray.key) === key))?.key ?? null
    );
  }

  #emptyBox(group, byKeys) {
    const [first] = this.store.arrangement.groups[group].cards;
    this.takeBack(group);
    if (byKeys) this.hand.focus(first);
  }

  #chooseGroup(key) {
    const { arrangement, selected } = this.store;
    const cards = key === "loose" ? arrangement.loose : (arrangement.groups[Number(key)]?.cards ?? []);
    const all = cards.length > 0 && cards.every((card) => selected.has(card));
    this.store.select(all ? [] : cards);
  }
}

function inside(point, box, slack) {
  return (
    point.x >= box.x - slack &&
    point.x <= box.x + box.w + slack &&
    point.y >= box.y - slack &&
    point.y <= box.y + box.h + slack
  );
}
