// @ts-check
// What the player does, from whichever button, key or finger it comes. What is allowed stands in the view's moves.

import { cardName } from "../../shared/cards.js";
import { byId, pageData } from "../../shared/dom.js";
import { t } from "../../shared/language.js";
import { keepSeed } from "../../shared/seeds.js";
import { verdictOn } from "../model/arrangement.js";
import { confirmDrop, confirmFinish, confirmShow, confirmSubmit } from "../view/dialogs/questions.js";
import { offer, toast } from "../view/toasts.js";
import { OwnSeat } from "./seat.js";

/** @import { Card, Pile } from "../../shared/types.js" */

/** For so long a card that was double-tapped can be taken back; never in the last moment of the turn. */
const TAKE_BACK_MS = 1800;
const LAST_MS = 2500;

export class Actions extends OwnSeat {
  /** @type {Set<import("../../shared/types.js").DealId>} */
  #seeded = new Set();
  /** What is discarded in a moment. @type {{timer: number, close: () => void} | null} */
  #soon = null;

  /**
   * A stale move is repeated once if it clearly means the same: same turn, and the move is still open.
   *
   * @param {string} move
   * @param {() => boolean} still
   */
  #sameTurn(move, still) {
    const turn = () => `${this.table.view?.deal?.id}-${this.table.view?.deal?.turn_number}`;
    const before = turn();
    return () => turn() === before && this.table.can(move) && still();
  }

  /** @param {Card} card */
  #holds(card) {
    return Boolean(this.table.me?.hand.includes(card));
  }

  /** @param {Pile} pile */
  draw(pile) {
    const { table } = this;
    if (!table.can("draw")) return;
    const top = () => table.view?.deal?.open_top;
    const before = top();
    this.ask(
      "draw",
      { pile },
      this.#sameTurn("draw", () => pile === "closed" || top() === before),
    );
  }

  /** The one card meant: the only selected one, or the focused one when none is selected. */
  oneCard() {
    const { selected } = this.own;
    if (selected.size === 1) return [...selected][0];
    return selected.size === 0 && byId("hand").contains(document.activeElement) ? this.hand.focused : null;
  }

  /**
   * Lays the card on the pile at once, and discards it after a moment in which it can be taken back.
   *
   * @param {Card} card
   */
  discardSoon(card) {
    const { table, own } = this;
    if (!table.can("discard") || this.isAsking("discard")) return;
    this.takeBack();
    const left = table.timeLeft() ?? Infinity;
    const ms = Math.min(TAKE_BACK_MS, left - LAST_MS);
    if (ms <= 0) return void this.discard(card);
    own.pendingCard = { card, pile: "open" };
    const name = cardName(card, table.view?.deal?.wild_rank);
    const close = offer(t("You discard the {name}.", { name }), t("Take it back"), () => this.takeBack(), ms);
    const timer = window.setTimeout(() => this.discard(card), ms);
    this.#soon = { timer, close };
    own.select([]);
  }

  /** Takes back the card that is to be discarded in a moment; answers whether there was one. */
  takeBack() {
    const soon = this.#soon;
    if (!soon) return false;
    this.#soon = null;
    clearTimeout(soon.timer);
    soon.close();
    this.own.set({ pendingCard: null });
    return true;
  }

  async discard(card = this.oneCard()) {
    const { table, own } = this;
    this.takeBack();
    if (!table.can("discard")) return;
    if (!card) return void toast(t("Select the one card that you want to discard."), { plain: true });
    await this.flush();
    own.pendingCard = { card, pile: "open" };
    const again = this.#sameTurn("discard", () => this.#holds(card));
    if (!(await this.ask("discard", { card }, again))) own.set({ pendingCard: null });
  }

  async finish(card = this.oneCard()) {
    const { table, store } = this;
    this.takeBack();
    if (!table.can("finish")) return;
    if (table.showsUndrawn) return void this.#show();
    if (!card) return void toast(t("Select the one card to place in the finish slot."), { plain: true });
    await this.judged();
    if (!table.can("finish") || !this.#holds(card)) return;
    if (!(await confirmFinish(store, card)) || !table.can("finish")) return;
    const again = this.#sameTurn("finish", () => this.#holds(card));
    this.ask("finish", { card }, again);
  }

  /** A show of all thirteen before drawing: no card lies in the finish slot. */
  async #show() {
    const { table, store } = this;
    await this.judged();
    if (!table.showsUndrawn || !(await confirmShow(store)) || !table.showsUndrawn) return;
    const again = this.#sameTurn("finish", () => table.showsUndrawn);
    this.ask("finish", {}, again);
  }

  async drop() {
    const { table, store } = this;
    if (!table.can("drop")) return;
    const points = table.me?.drop_points ?? null;
    if (!(await confirmDrop(store)) || !table.can("drop")) return;
    const again = this.#sameTurn("drop", () => table.me?.drop_points === points);
    this.ask("drop", {}, again);
  }

  /** Asks before it is armed only where it would end the match. */
  async autoDrop() {
    const { table, store } = this;
    const on = !table.me?.auto_drop;
    if (!table.can("auto_drop") || (on && table.me?.drop_eliminates && !(await confirmDrop(store)))) return;
    if (table.can("auto_drop")) this.ask("auto_drop", { on });
  }

  async sort() {
    if (!this.table.can("sort")) return;
    // Not after the answer: by then the player may have selected a card of the sorted hand.
    this.own.select([]);
    await this.flush();
    this.remember();
    await this.ask("sort");
  }

  /**
   * Cards let go over a pile or a place in the hand.
   *
   * @param {Card[]} cards
   * @param {import("./target.js").DropTarget} target
   */
  lay(cards, target) {
    if (!("pile" in target)) return void this.move(cards, target);
    if (target.pile === "open") this.discard(cards[0]);
    else this.finish(cards[0]);
  }

  async submit() {
    const { table, own, store } = this;
    if (!table.can("submit")) return;
    await this.judged();
    if (!table.can("submit")) return;
    const groups = own.arrangement.groups.filter((group) => group.melded).map((group) => group.cards);
    if (!(await confirmSubmit(store, groups, this.#openCards(groups))) || !table.can("submit")) return;
    await this.flush();
    this.ask("submit", { groups }, () => table.can("submit"));
  }

  /**
   * What would make the player think twice: cards in no box, or in a group that is no meld.
   *
   * @param {Card[][]} groups
   */
  #openCards(groups) {
    const kindOf = (/** @type {Card[]} */ cards) => verdictOn(this.table.me, cards)?.kind ?? "invalid";
    const good = groups.filter((cards) => kindOf(cards) !== "invalid").flat();
    return this.hand.order().filter((card) => !good.includes(card));
  }

  /** This browser's share in the shuffle of the coming deal, given once the table is committed to its own. */
  async seed() {
    const { table } = this;
    const deal = table.view?.next_deal ?? table.view?.deal;
    if (!table.can("client_seed") || !deal?.commitment || this.#seeded.has(deal.id)) return;
    this.#seeded.add(deal.id);
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const seed = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const { ok } = await this.commands.ask("client_seed", { seed });
    if (ok) keepSeed({ deal: String(deal.id), user: pageData("user"), seed, commitment: deal.commitment });
  }
}
