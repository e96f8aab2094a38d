// @ts-check
// The own cards on screen: one button per card, trays behind the groups. Places come from layout.js.

import { cardFace, markWild } from "../../shared/card_faces.js";
import { cardName } from "../../shared/cards.js";
import { byId, el, keyed, setAttr, setText } from "../../shared/dom.js";
import { t } from "../../shared/language.js";
import { find } from "../../shared/query.js";
import { groupName, KINDS, plural } from "../../shared/words.js";
import { allCards, verdictOn } from "../model/arrangement.js";
import { layBox, layHand } from "../model/layout.js";
import { placeOf } from "../place.js";
import { glide } from "./animate.js";
import { shapeNow } from "./shapes.js";

/** Width of a letter in a group's label, in px, generously: a label that does not fit is not shown. */
const LABEL_LETTER = 7.2;

/**
 * What a finished group is called where its label is narrow.
 *
 * @type {Record<string, string>}
 */
const SHORT_KINDS = { pure: t("Pure"), impure: t("Impure"), set: t("Set") };

/** @import { Card } from "../../shared/types.js" */
/** @import { Place, Segment, Tray } from "../model/layout.js" */

/** So narrow, in px, is a tray into which the long name of a group does not go. */
const SHORT_BELOW = 136;

export class Hand {
  /** @param {import("../model/state.js").Store} store */
  constructor(store) {
    this.table = store.table;
    this.own = store.own;
    this.node = byId("hand");
    this.region = byId("hand-region");
    /** @type {Map<Card, HTMLElement>} */
    this.cards = new Map();
    /** @type {Map<Card, Place>} */
    this.places = new Map();
    /** @type {Map<Card, Place>} */
    this.origins = new Map();
    /** @type {import("../model/layout.js").Layout} */
    this.layout = { trays: [], cards: new Map(), w: 60, step: 30 };
    /** @type {Tray[]} */
    this.boxTrays = [];
    /** @type {Card | null} */
    this.focused = null;
    /** @type {Card[]} */
    this.drawn = [];
    /** @type {{cards: Card[], placeFor: (card: Card) => Place} | null} */
    this.dragging = null;
    this.dealing = false;
    this.trays = el("div", { class: "trays" });
    this.faces = el("div", { class: "faces" });
    this.caret = el("div", { class: "caret", hidden: true });
    this.node.append(this.trays, this.faces, this.caret);
    const sizes = new ResizeObserver(() => this.render({ still: true }));
    // A room of another height moves the region and may leave its size as it was; it follows a turned window late.
    for (const node of [byId("room"), this.region, byId("boxes")]) sizes.observe(node);
  }

  order() {
    return allCards(this.own.arrangement);
  }

  render({ still = false } = {}) {
    const { table } = this;
    const segments = this.#segments();
    this.#lay(segments);
    const order = this.order();
    if (!this.focused || !order.includes(this.focused)) this.focused = order[0] ?? null;
    this.#faces(order, still);
    this.drawn = order;
    this.#trays();
    this.node.classList.toggle(
      "is-folded",
      ["dropped", "wrong", "left"].includes(table.seat(table.me?.seat)?.status ?? ""),
    );
    this.origins.clear();
  }

  /**
   * What lies where: the groups and the loose cards, each with its key and the server's verdict.
   *
   * @returns {Segment[]}
   */
  #segments() {
    const { arrangement } = this.own;
    const groups = arrangement.groups.map((group, place) => ({
      key: place,
      cards: group.cards,
      melded: group.melded,
      verdict: verdictOn(this.table.me, group.cards),
    }));
    return [...groups, { key: "loose", cards: arrangement.loose, melded: false, verdict: null }];
  }

  /** @param {Segment[]} segments */
  #lay(segments) {
    const shape = shapeNow();
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
    const melded = segments.filter((segment) => segment.melded);
    for (const [place, segment] of melded.entries()) {
      const laid = layBox(segment, boxes[Math.min(place, boxes.length - 1)], shape.label);
      this.boxTrays.push({ ...laid.tray, step: laid.step, inBox: true });
      for (const [card, at] of laid.cards) this.layout.cards.set(card, at);
    }
  }

  /**
   * @param {Card[]} order
   * @param {boolean} still
   */
  #faces(order, still) {
    const wild = this.table.view?.deal?.wild_rank ?? null;
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

  /**
   * @param {Card} card
   * @param {number | null} wild
   */
  #newFace(card, wild) {
    const node = cardFace(card, { wildRank: wild, tag: "button" });
    node.id = idOf(card);
    this.cards.set(card, node);
    return node;
  }

  /**
   * @param {HTMLElement} node
   * @param {Card} card
   * @param {number | null} wild
   */
  #describe(node, card, wild) {
    const { own, table } = this;
    const chosen = own.selected.has(card);
    node.classList.toggle("is-chosen", chosen);
    node.classList.toggle("is-hinted", own.hint(table)?.cards.includes(card) ?? false);
    node.classList.toggle("is-drawn", table.me?.drawn === card);
    setAttr(node, "aria-pressed", String(chosen));
    setAttr(node, "tabindex", card === this.focused ? "0" : "-1");
    setAttr(node, "aria-label", cardName(card, wild));
  }

  /**
   * @param {Card} card
   * @param {boolean} still
   * @param {number} order
   */
  #put(card, still, order) {
    const at = this.#target(card);
    const node = this.cards.get(card);
    if (!at || !node) return;
    const before = this.places.get(card);
    node.style.setProperty("--w", `${at.w.toFixed(2)}px`);
    node.style.zIndex = String(at.z ?? 1);
    const same = before && before.x === at.x && before.y === at.y && before.w === at.w;
    if (same && !this.origins.has(card)) return;
    const from = this.origins.get(card) ?? before ?? (this.dealing ? placeOfPile("closed") : null);
    this.places.set(card, at);
    glide(node, from, at, {
      still: still || Boolean(this.dragging?.cards.includes(card)),
      delay: this.dealing ? order * 45 : 0,
    });
  }

  /** Only the cards under the finger: what a pointer move needs, and nothing more. */
  follow() {
    for (const card of this.dragging?.cards ?? []) if (this.cards.has(card)) this.#put(card, true, 0);
  }

  /**
   * A card lies by the layout, unless it is under a finger or on its way to a pile.
   *
   * @param {Card} card
   * @returns {Place | null}
   */
  #target(card) {
    const laid = this.layout.cards.get(card);
    if (this.dragging?.cards.includes(card)) return { ...this.dragging.placeFor(card), z: 90 };
    if (this.own.pendingCard?.card === card) return { ...placeOfPile(this.own.pendingCard.pile), z: 80 };
    if (!laid) return null;
    if (this.own.selected.has(card)) return { ...laid, y: laid.y - shapeNow().lift + 1 };
    return this.own.hint(this.table)?.cards.includes(card) ? { ...laid, y: laid.y - shapeNow().lift / 2 } : laid;
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
        const label = find(node, ".tray-label");
        label.dataset.group = String(tray.key);
        setText(label, this.#label(tray));
        setAttr(label, "tabindex", tray.inBox ? "0" : "-1");
        setAttr(label, "title", tray.verdict?.reason ?? (tray.inBox ? t("Take this group back") : null));
        const these = plural(tray.cards.length, "card");
        const act = tray.inBox ? t("take the {these} back", { these }) : t("select the {these}", { these });
        const name = groupName(tray.key, tray.verdict);
        setAttr(label, "aria-label", `${this.#label(tray) || name}: ${act}`);
        setAttr(node, "aria-label", name);
        setAttr(node, "aria-owns", tray.cards.map(idOf).join(" "));
      },
    );
  }

  #newTray() {
    return el(
      "div",
      { class: "tray", role: "group" },
      el("button", { class: "tray-label", type: "button", tabindex: "-1" }),
    );
  }

  /** @param {Tray} tray */
  #label(tray) {
    if (tray.key === "loose") return tray.from > 0 ? "" : t("Loose");
    if (!tray.verdict?.kind) return "…";
    const { kind: found, reason } = tray.verdict;
    const kind = KINDS[found];
    if (found in SHORT_KINDS) return `${tray.w < SHORT_BELOW ? SHORT_KINDS[found] : kind} ✓`;
    /** @type {(text: string) => boolean} */
    const fits = (text) => text.length * LABEL_LETTER + 16 <= tray.w;
    return (reason ? [`${kind}: ${reason}`, reason] : []).find(fits) ?? kind;
  }

  /** @param {Card | null | undefined} card */
  focus(card) {
    if (!card || !this.cards.has(card)) return;
    this.focused = card;
    for (const [each, node] of this.cards) setAttr(node, "tabindex", each === card ? "0" : "-1");
    this.cards.get(card)?.focus({ preventScroll: true });
  }

  /**
   * Where a card was last, for a flight that starts in the hand.
   *
   * @param {Card} card
   */
  placeOf(card) {
    return this.places.get(card) ?? null;
  }
}

/** @param {Card} card */
const idOf = (card) => `card-${card}`;

/** @param {string} pile */
function placeOfPile(pile) {
  const place = placeOf(byId(pile));
  return { x: place.x, y: place.y, w: place.w };
}
