// The own cards on screen: one button per card, trays behind the groups. Places come from layout.js.

import { byId, el, keyed, placeOf, setAttr, setText } from "../dom.js";
import { allCards, verdictOn } from "../model/arrangement.js";
import { cardName, isMarked } from "../model/cards.js";
import { layBox, layHand } from "../model/layout.js";
import { mode } from "../modes.js";
import { KINDS } from "../words.js";
import { glide } from "./animate.js";
import { cardFace, markWild } from "./cards.js";

/** Width of a letter in a group's label, in px, generously: a label that does not fit is not shown. */
const LABEL_LETTER = 7.2;

const WIDE = { pad: 8, gap: 14, rowGap: 7, label: 21, lift: 14, foot: 5, most: 114 };
const UPRIGHT = { pad: 5, gap: 6, rowGap: 3, label: 18, lift: 10, foot: 3, most: 84 };
const LOW = { pad: 5, gap: 7, rowGap: 2, label: 16, lift: 9, foot: 3, most: 84, low: true };

export class Hand {
  constructor(store) {
    this.store = store;
    this.node = byId("hand");
    this.region = byId("hand-region");
    this.cards = new Map();
    this.places = new Map();
    this.origins = new Map();
    this.layout = { trays: [], cards: new Map(), w: 60, step: 30 };
    this.boxTrays = [];
    this.focused = null;
    this.drawn = [];
    this.dragging = null;
    this.dealing = false;
    this.trays = el("div", { class: "trays" });
    this.faces = el("div", { class: "faces", role: "group", "aria-label": "Your cards" });
    this.caret = el("div", { class: "caret", hidden: true });
    this.node.append(this.trays, this.faces, this.caret);
    new ResizeObserver(() => this.render({ still: true })).observe(this.region);
    new ResizeObserver(() => this.render({ still: true })).observe(byId("boxes"));
  }

  shape() {
    return { low: LOW, upright: UPRIGHT, wide: WIDE }[mode()];
  }

  order() {
    return allCards(this.store.arrangement);
  }

  render({ still = false } = {}) {
    const { store } = this;
    const segments = this.#segments();
    this.#lay(segments);
    const order = this.order();
    if (!order.includes(this.focused)) this.focused = order[0] ?? null;
    this.#faces(order, still);
    this.drawn = order;
    this.#trays();
    this.node.classList.toggle("is-folded", ["dropped", "wrong", "left"].includes(store.seat(store.me?.seat)?.status));
    this.origins.clear();
  }

  /** What lies where: the groups and the loose cards, each with its key and the server's verdict. */
  #segments() {
    const { arrangement, me } = this.store;
    const groups = arrangement.groups.map((group, place) => ({
      key: place,
      cards: group.cards,
      melded: group.melded,
      verdict: verdictOn(me, group.cards),
    }));
    return [...groups, { key: "loose", cards: arrangement.loose, melded: false, verdict: null }];
  }

  #lay(segments) {
    const shape = this.shape();
    const room = placeOf(this.region);
    const region = { x: room.x + 6, y: room.y + 2, w: room.w - 12, h: room.h - 6 };
    this.layout = layHand(
      segments.filter((segment) => !segment.melded),
      region,
      shape,
    );
    this.boxTrays = [];
    if (byId("boxes").hidden) return;
    const boxes = [...byId("boxes-grid").children].map(placeOf);
    segments
      .filter((segment) => segment.melded)
      .forEach((segment, place) => {
        const box = boxes[place] ?? boxes.at(-1);
        const laid = layBox(segment, box, shape.label);
        this.boxTrays.push({ ...laid.tray, step: laid.step, inBox: true });
        for (const [card, at] of laid.cards) this.layout.cards.set(card, at);
      });
  }

  #faces(order, still) {
    const wild = this.store.view?.deal?.wild_rank ?? null;
    keyed(
      this.faces,
      order,
      (card) => card,
      (card) => this.#newFace(card, wild),
      (node, card) => {
        markWild(node, card, wild);
        this.#describe(node, card, wild);
      },
    );
    const gone = [...this.cards.keys()].filter((card) => !order.includes(card));
    for (const card of gone) {
      this.cards.delete(card);
      this.places.delete(card);
    }
    for (const [place, card] of order.entries()) this.#put(card, still, place);
  }

  #newFace(card, wild) {
    const node = cardFace(card, { wildRank: wild, tag: "button" });
    this.cards.set(card, node);
    return node;
  }

  #describe(node, card, wild) {
    const { store } = this;
    const chosen = store.selected.has(card);
    node.classList.toggle("is-chosen", chosen);
    node.classList.toggle("is-drawn", store.me?.drawn === card);
    setAttr(node, "aria-pressed", String(chosen));
    setAttr(node, "tabindex", card === this.focused ? "0" : "-1");
    setAttr(
      node,
      "aria-label",
      `${cardName(card, wild)}${isMarked(card, wild) ? ", joker" : ""}, ${this.#whereIs(card)}`,
    );
  }

  #whereIs(card) {
    const { arrangement, me } = this.store;
    const place = arrangement.groups.findIndex((group) => group.cards.includes(card));
    if (place < 0) return "loose";
    const verdict = verdictOn(me, arrangement.groups[place].cards);
    return `group ${place + 1}, ${KINDS[verdict?.kind] ?? "being judged"}`;
  }

  #put(card, still, order) {
    const at = this.#target(card);
    if (!at) return;
    const node = this.cards.get(card);
    const before = this.places.get(card);
    node.style.setProperty("--w", `${at.w.toFixed(2)}px`);
    node.style.zIndex = String(at.z ?? 1);
    const same = before && before.x === at.x && before.y === at.y && before.w === at.w;
    if (same && !this.origins.has(card)) return;
    const from = this.origins.get(card) ?? before ?? (this.dealing ? placeOfPile("closed") : null);
    this.places.set(card, at);
    glide(node, from, at, {
      still: still || this.dragging?.cards.includes(card),
      delay: this.dealing ? order * 45 : 0,
    });
  }

  /** Only the cards under the finger: what a pointer move needs, and nothing more. */
  follow() {
    for (const card of this.dragging?.cards ?? []) if (this.cards.has(card)) this.#put(card, true, 0);
  }

  /** A card lies by the layout, unless it is under a finger or on its way to a pile. */
  #target(card) {
    const laid = this.layout.cards.get(card);
    if (this.dragging?.cards.includes(card)) return { ...this.dragging.placeFor(card), z: 90 };
    if (this.store.pendingCard?.card === card) return { ...placeOfPile(this.store.pendingCard.pile), z: 80 };
    if (!laid) return null;
    return this.store.selected.has(card) ? { ...laid, y: laid.y - this.shape().lift + 1 } : laid;
  }

  #trays() {
    const trays = [...this.layout.trays, ...this.boxTrays];
    keyed(
      this.trays,
      trays,
      (tray) => `${tray.key}-${tray.from}-${tray.inBox ? "box" : "hand"}`,
      () => this.#newTray(),
      (node, tray) => {
        const kind = tray.key === "loose" ? "loose" : (tray.verdict?.kind ?? "open");
        node.className = `tray is-${kind} ${tray.inBox ? "is-boxed" : ""}`;
        node.dataset.group = String(tray.key);
        Object.assign(node.style, {
          transform: `translate(${tray.x}px, ${tray.y}px)`,
          width: `${tray.w}px`,
          height: `${tray.h}px`,
        });
        const label = node.firstChild;
        label.dataset.group = String(tray.key);
        setText(label, this.#label(tray));
        setAttr(label, "tabindex", tray.inBox ? "0" : "-1");
        setAttr(label, "title", tray.verdict?.reason ?? (tray.inBox ? "Take this group back" : null));
        setAttr(
          label,
          "aria-label",
          `${this.#label(tray)}: ${tray.inBox ? "take" : "select"} these ${tray.cards.length} cards${tray.inBox ? " back" : ""}`,
        );
      },
    );
  }

  #newTray() {
    return el("div", { class: "tray" }, el("button", { class: "tray-label", type: "button", tabindex: "-1" }));
  }

  #label(tray) {
    if (tray.key === "loose") return tray.from > 0 ? "" : "Loose";
    if (!tray.verdict) return "…";
    const kind = KINDS[tray.verdict.kind] ?? tray.verdict.kind;
    if (tray.verdict.kind === "pure" || tray.verdict.kind === "impure" || tray.verdict.kind === "set") {
      return tray.w < 106 ? { pure: "Pure ✓", impure: "Seq. ✓", set: "Set ✓" }[tray.verdict.kind] : `${kind} ✓`;
    }
    const reason = tray.verdict.reason ?? "";
    const fits = (text) => text.length * LABEL_LETTER + 16 <= tray.w;
    return [`${kind}: ${reason}`, reason].find((text) => reason && fits(text)) ?? kind;
  }

  focus(card) {
    if (!card || !this.cards.has(card)) return;
    this.focused = card;
    for (const [each, node] of this.cards) setAttr(node, "tabindex", each === card ? "0" : "-1");
    this.cards.get(card).focus({ preventScroll: true });
  }

  /** Where a card was last, for a flight that starts in the hand. */
  placeOf(card) {
    return this.places.get(card) ?? null;
  }
}

function placeOfPile(pile) {
  const place = placeOf(byId(pile));
  return { x: place.x, y: place.y, w: place.w };
}
