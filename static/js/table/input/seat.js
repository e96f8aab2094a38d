// @ts-check
// What the player does about their seat: stay for the next deal, leave, come back, bring chips, split the prize.

import { addressOf, pageData } from "../../shared/dom.js";
import { t } from "../../shared/language.js";
import { go, toLobby } from "../parent_page.js";
import { postForm, postJson } from "../post.js";
import { leaveDialog } from "../view/dialogs/questions.js";
import { toast } from "../view/toasts.js";
import { Arranging } from "./arranging.js";

export class OwnSeat extends Arranging {
  async leave() {
    const table = this.table.view?.table.id ?? 0;
    if (this.table.can("leave") && !(await this.#mayLeave())) return;
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
    this.own.leaving = true;
    this.own.leaving = await this.ask("leave");
    return this.own.leaving;
  }

  /** To the page of the deal of the day, or of the match that this deal is part of; the seat is needed no more. */
  async toSeries() {
    if (this.table.can("leave")) await this.#giveUp();
    go(pageData("series"));
  }

  continue() {
    if (this.table.can("continue")) this.ask("continue");
  }

  /** The computer players finish the deal without pauses. */
  skip() {
    return this.ask("skip");
  }

  /** A practice table of this game, beside this one: the seat here is kept, and calls when somebody sits down. */
  practise() {
    const table = this.table.view?.table;
    if (table) postForm(pageData("practice"), { book: table.book, players: table.seats });
  }

  /** Another practice table like this one; the seat here, where it is still held, is given up first. */
  async playAgain() {
    const table = this.table.view?.table;
    if (!table || (this.table.can("leave") && !(await this.#giveUp()))) return;
    const { strength = "" } = document.body.dataset;
    postForm(pageData("practice"), { book: table.book, players: table.seats, strength });
  }

  /** The player has read that their seat is gone. */
  lookOn() {
    this.own.set({ seatedOut: null });
  }

  /** A seat here once more, with what came back from the last one where that suffices. */
  async sitAgain(seat = this.table.view?.free_seats[0]) {
    const { view } = this.table;
    const { seatedOut } = this.own;
    const enough = (seatedOut?.returned ?? 0) >= (view?.table.minimum ?? Infinity);
    const answer = await postJson(pageData("seats"), { seat, ...(enough && { buy_in: seatedOut?.returned }) });
    if (answer.ok) location.reload();
    else toast(answer.message || t("That did not work."));
  }

  /** A seat that is free, for who has none here: at once for who has just lost theirs, else by the form of the buy-in. */
  takeFreeSeat(/** @type {number} */ seat) {
    if (this.own.seatedOut) return void this.sitAgain(seat);
    go(pageData("sit"));
  }

  /** A seat at the table where those who played the match play again. */
  rematch() {
    if (this.own.rematch) postForm(addressOf("rematch", this.own.rematch));
  }

  /** @param {number} amount */
  addChips(amount) {
    return this.ask("add_chips", { amount });
  }

  /** @param {boolean} accept */
  rejoin(accept) {
    if (this.table.can("rejoin")) this.ask("rejoin", { accept });
  }

  offerSplit() {
    if (this.table.can("offer_split")) this.ask("offer_split");
  }

  /** @param {boolean} accept */
  answerSplit(accept) {
    if (this.table.can("answer_split")) this.ask("answer_split", { accept });
  }
}
