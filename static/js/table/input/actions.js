// @ts-check
// What the player does, from whichever button, key or finger it comes. What is allowed stands in the view's moves.

import { byId, el, pageData } from "../dom.js";
import { t } from "../language.js";
import { verdictOn } from "../model/arrangement.js";
import { cardName } from "../model/cards.js";
import { remaining } from "../model/clock.js";
import { postJson } from "../net/post.js";
import { go, isFramed, toLobby } from "../parent_page.js";
import { keepSeed } from "../seeds.js";
import { confirmDrop, confirmFinish, confirmShow, confirmSubmit, leaveDialog } from "../view/dialogs/questions.js";
import { offer, toast } from "../view/toasts.js";
import { Arranging } from "./arranging.js";

/** @typedef {import("../types.js").Card} Card */
/** @typedef {import("../types.js").Pile} Pile */

/** For so long a card that was double-tapped can be taken back; never in the last moment of the turn. */
const TAKE_BACK_MS = 1800;
const LAST_MS = 2500;
/** An answer that has not come after so long is told to be on its way. */
const PATIENCE_MS = 400;

export class Actions extends Arranging {
  /** @type {Set<import("../types.js").DealId>} */
  #seeded = new Set();
  /** @type {Set<string>} */
  #sent = new Set();
  /** What is discarded in a moment. @type {{timer: number, close: () => void} | null} */
  #soon = null;

  /**
   * Asks once at a time; a refusal is shown in the server's own words. Resolves to whether it was done.
   *
   * @param {string} type
   * @param {object} [fields]
   * @param {(() => boolean) | null} [again] whether a stale one may be asked once more
   */
  async ask(type, fields = {}, again = null) {
    if (this.#sent.has(type)) return false;
    this.#sent.add(type);
    this.store.changed("local");
    const patience = setTimeout(() => this.#onItsWay(), PATIENCE_MS);
    let answer = await this.commands.ask(type, fields);
    if (!answer.ok && answer.code === "stale" && again?.()) answer = await this.commands.ask(type, fields);
    this.#sent.delete(type);
    clearTimeout(patience);
    this.store.onItsWay &&= this.#sent.size > 0;
    if (!answer.ok && answer.code !== "frozen") toast(answer.message ?? t("That did not work."));
    this.store.changed("local");
    return answer.ok;
  }

  #onItsWay() {
    this.store.onItsWay = true;
    this.store.changed("local");
  }

  /** @param {string} type */
  isAsking(type) {
    return this.#sent.has(type);
  }

  /**
   * A stale move is repeated once if it clearly means the same: same turn, and the move is still open.
   *
   * @param {string} move
   * @param {() => boolean} still
   */
  #sameTurn(move, still) {
    const turn = () => `${this.store.view?.deal?.id}-${this.store.view?.deal?.turn_number}`;
    const before = turn();
    return () => turn() === before && this.store.can(move) && still();
  }

  /** @param {Card} card */
  #holds(card) {
    return Boolean(this.store.me?.hand.includes(card));
  }

  /** @param {Pile} pile */
  draw(pile) {
    const { store } = this;
    if (!store.can("draw") || (pile === "open" && !store.me?.pickable_open)) return;
    const top = () => store.view?.deal?.open_top;
    const before = top();
    this.ask(
      "draw",
      { pile },
      this.#sameTurn("draw", () => pile === "closed" || top() === before),
    );
  }

  /** The one card meant: the only selected one, or the focused one when none is selected. */
  oneCard() {
    const { selected } = this.store;
    if (selected.size === 1) return [...selected][0];
    return selected.size === 0 && byId("hand").contains(document.activeElement) ? this.hand.focused : null;
  }

  /**
   * Lays the card on the pile at once, and discards it after a moment in which it can be taken back.
   *
   * @param {Card} card
   */
  discardSoon(card) {
    const { store } = this;
    if (!store.can("discard") || this.isAsking("discard")) return;
    this.takeBack();
    const left = remaining(store.view?.clock, performance.now() - store.receivedAt) ?? Infinity;
    const ms = Math.min(TAKE_BACK_MS, left - LAST_MS);
    if (ms <= 0) return void this.discard(card);
    store.pendingCard = { card, pile: "open" };
    const name = cardName(card, store.view?.deal?.wild_rank);
    const close = offer(t("You discard the {name}.", { name }), t("Take it back"), () => this.takeBack(), ms);
    const timer = window.setTimeout(() => this.discard(card), ms);
    this.#soon = { timer, close };
    store.select([]);
  }

  /** Takes back the card that is to be discarded in a moment; answers whether there was one. */
  takeBack() {
    const soon = this.#soon;
    if (!soon) return false;
    this.#soon = null;
    clearTimeout(soon.timer);
    soon.close();
    this.store.pendingCard = null;
    this.store.changed("local");
    return true;
  }

  async discard(card = this.oneCard()) {
    const { store } = this;
    this.takeBack();
    if (!store.can("discard")) return;
    if (!card) return void toast(t("Select the one card that you want to discard."), { plain: true });
    await this.flush();
    store.pendingCard = { card, pile: "open" };
    const again = this.#sameTurn("discard", () => this.#holds(card));
    if (!(await this.ask("discard", { card }, again))) store.pendingCard = null;
    store.changed("local");
  }

  async finish(card = this.oneCard()) {
    const { store } = this;
    this.takeBack();
    if (!store.can("finish")) return;
    if (store.showsUndrawn) return void this.#show();
    if (!card) return void toast(t("Select the one card to place in the finish slot."), { plain: true });
    await this.judged();
    if (!store.can("finish") || !this.#holds(card)) return;
    if (!(await confirmFinish(store, card)) || !store.can("finish")) return;
    const again = this.#sameTurn("finish", () => this.#holds(card));
    this.ask("finish", { card }, again);
  }

  /** A show of all thirteen before drawing: no card lies in the finish slot. */
  async #show() {
    const { store } = this;
    await this.judged();
    if (!store.showsUndrawn || !(await confirmShow(store)) || !store.showsUndrawn) return;
    const again = this.#sameTurn("finish", () => store.showsUndrawn);
    this.ask("finish", {}, again);
  }

  async drop() {
    const { store } = this;
    if (!store.can("drop")) return;
    const points = store.me?.drop_points ?? null;
    if (!(await confirmDrop(store)) || !store.can("drop")) return;
    const again = this.#sameTurn("drop", () => store.me?.drop_points === points);
    this.ask("drop", {}, again);
  }

  /** Asks before it is armed only where it would end the match. */
  async autoDrop() {
    const { store } = this;
    const on = !store.me?.auto_drop;
    if (!store.can("auto_drop") || (on && store.me?.drop_eliminates && !(await confirmDrop(store)))) return;
    if (store.can("auto_drop")) this.ask("auto_drop", { on });
  }

  async sort() {
    if (!this.store.can("sort")) return;
    // Not after the answer: by then the player may have selected a card of the sorted hand.
    this.store.select([]);
    await this.flush();
    this.remember();
    await this.ask("sort");
  }

  async leave() {
    const table = this.store.view?.table.id ?? 0;
    if (this.store.can("leave") && !(await this.#mayLeave())) return;
    toLobby(table);
  }

  /** Asks how to leave, and does it; resolves to whether the player has left. */
  async #mayLeave() {
    const how = await leaveDialog(this.store);
    if (!how || (how === "drop" && !(await this.ask("drop")))) return false;
    return this.#giveUp();
  }

  /** Gives up the seat; resolves to whether that was done. */
  async #giveUp() {
    this.store.leaving = true;
    this.store.leaving = await this.ask("leave");
    return this.store.leaving;
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
    const { store } = this;
    if (!store.can("submit")) return;
    await this.judged();
    if (!store.can("submit")) return;
    const groups = store.arrangement.groups.filter((group) => group.melded).map((group) => group.cards);
    if (!(await confirmSubmit(store, groups, this.#openCards(groups))) || !store.can("submit")) return;
    await this.flush();
    this.ask("submit", { groups }, () => store.can("submit"));
  }

  /**
   * What would make the player think twice: cards in no box, or in a group that is no meld.
   *
   * @param {Card[][]} groups
   */
  #openCards(groups) {
    const kindOf = (/** @type {Card[]} */ cards) => verdictOn(this.store.me, cards)?.kind ?? "invalid";
    const good = groups.filter((cards) => kindOf(cards) !== "invalid").flat();
    return this.hand.order().filter((card) => !good.includes(card));
  }

  continue() {
    if (this.store.can("continue")) this.ask("continue");
  }

  /** The computer players finish the deal without pauses. */
  skip() {
    return this.ask("skip");
  }

  /** A practice table of this game, beside this one: the seat here is kept, and calls when somebody sits down. */
  practise() {
    const table = this.store.view?.table;
    if (table) post(pageData("practice"), { book: table.book, players: table.seats });
  }

  /** Another practice table like this one; the seat here, where it is still held, is given up first. */
  async playAgain() {
    const table = this.store.view?.table;
    if (!table || (this.store.can("leave") && !(await this.#giveUp()))) return;
    const { strength = "" } = document.body.dataset;
    post(pageData("practice"), { book: table.book, players: table.seats, strength });
  }

  /** The player has read that their seat is gone. */
  lookOn() {
    this.store.lookOn();
  }

  /** A seat here once more, with what came back from the last one where that suffices. */
  async sitAgain(seat = this.store.view?.free_seats[0]) {
    const { view, seatedOut } = this.store;
    const enough = (seatedOut?.returned ?? 0) >= (view?.table.minimum ?? Infinity);
    const { code } = document.body.dataset;
    const place = code ? `private/${code}` : `tables/${pageData("table")}`;
    const answer = await postJson(`/api/${place}/seats/`, { seat, ...(enough && { buy_in: seatedOut?.returned }) });
    if (answer.ok) location.reload();
    else toast(answer.message || t("That did not work."));
  }

  /** A seat that is free, for who has none here: at once for who has just lost theirs, else by the form of the buy-in. */
  takeFreeSeat(/** @type {number} */ seat) {
    if (this.store.seatedOut) return void this.sitAgain(seat);
    go(pageData("sit"));
  }

  /** A seat at the table where those who played the match play again. */
  rematch() {
    post(`/rematch/${this.store.rematch}/`);
  }

  /** @param {number} amount */
  addChips(amount) {
    return this.ask("add_chips", { amount });
  }

  /** @param {boolean} accept */
  rejoin(accept) {
    if (this.store.can("rejoin")) this.ask("rejoin", { accept });
  }

  offerSplit() {
    if (this.store.can("offer_split")) this.ask("offer_split");
  }

  /** @param {boolean} accept */
  answerSplit(accept) {
    if (this.store.can("answer_split")) this.ask("answer_split", { accept });
  }

  /** This browser's share in the shuffle of the coming deal, given once the table is committed to its own. */
  async seed() {
    const { store } = this;
    const deal = store.view?.next_deal ?? store.view?.deal;
    if (!store.can("client_seed") || !deal?.commitment || this.#seeded.has(deal.id)) return;
    this.#seeded.add(deal.id);
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const seed = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const { ok } = await this.commands.ask("client_seed", { seed });
    if (ok) keepSeed({ deal: String(deal.id), user: pageData("user"), seed, commitment: deal.commitment });
  }
}

/**
 * Sends a form, whose answer is a page of its own: in place of the page around, where this table stands in a frame.
 *
 * @type {(action: string, fields?: Record<string, string | number>) => void}
 */
function post(action, fields = {}) {
  const sent = Object.entries({ csrfmiddlewaretoken: pageData("csrf"), ...fields });
  const inputs = sent.map(([name, value]) => el("input", { type: "hidden", name, value }));
  const form = el("form", { method: "post", action, target: isFramed() && "_parent", hidden: true }, ...inputs);
  document.body.append(form);
  form.submit();
}
