// @ts-check
// What only this page knows: how the player has laid and selected the cards, what they put away, what is on its way.

import { adopted, allCards, melded, nothing, reconciled } from "./arrangement.js";
import { lostSeat } from "./lost_seat.js";

/** @import { Card, MeView, View } from "../../shared/types.js" */
/** @import { Arrangement } from "./arrangement.js" */
/** @import { ShownTable, Table } from "./table.js" */

export class Interface {
  /** @param {() => void} changed called after each change that the player makes */
  constructor(changed) {
    this.changed = changed;
    this.arrangement = nothing();
    /** @type {Set<Card>} */
    this.selected = new Set();
    /** @type {{card: Card, pile: string} | null} A card that lies on a pile before the server knows of it. */
    this.pendingCard = null;
    /** Whether the player waits for the answer to a press, longer than they would notice. */
    this.onItsWay = false;
    /** @type {import("./lost_seat.js").SeatedOut | null} */
    this.seatedOut = null;
    /** Whether the player gives up the seat by their own will. */
    this.leaving = false;
    /** @type {number | null} The match that those here may play again together. */
    this.rematch = null;
    this.wantsHints = true;
    /** @type {string | null} The panel that the player has put away. */
    this.panelClosed = null;
    /** So many arrangements the server has not followed yet; it will have with the view of `settleAt`. */
    this.unsettled = 0;
    /** @type {number | null} */
    this.settleAt = null;
    /** @type {(() => void)[]} */
    this.waiting = [];
  }

  /**
   * Follows the table from the view `before` to the one that has come.
   *
   * @param {ShownTable} table
   * @param {View | null} before
   */
  follow(table, before) {
    const { view } = table;
    if (!view.me || before?.deal?.id !== view.deal?.id) {
      this.arrangement = nothing();
      this.#settle();
    }
    const told = view.me || view.phase === "over";
    this.seatedOut = told ? null : (lostSeat(before, table.events, this.leaving) ?? this.seatedOut);
    if (view.me) this.#arrange(table, view.me, before);
    const inHand = new Set(allCards(this.arrangement));
    this.selected = new Set([...this.selected].filter((card) => inHand.has(card)));
    if (this.pendingCard && !inHand.has(this.pendingCard.card)) this.pendingCard = null;
  }

  /**
   * Lays the cards as the server has them, or as the player has while the server does not know it yet. Groups that a
   * player has go into the boxes when melding begins: with the clock running nobody should have to do it.
   *
   * @param {ShownTable} table
   * @param {MeView} me
   * @param {View | null} before
   */
  #arrange(table, me, before) {
    if (this.settleAt !== null && table.version >= this.settleAt) this.#settle();
    this.arrangement = this.unsettled ? reconciled(this.arrangement, me.hand) : adopted(me, this.arrangement);
    const could = before?.deal?.id === table.view.deal?.id && before?.me?.moves.includes("submit");
    if (me.moves.includes("submit") && !could) this.arrangement = melded(this.arrangement, true);
    if (!table.can("submit")) this.arrangement = melded(this.arrangement, false);
  }

  #settle() {
    this.unsettled = 0;
    this.settleAt = null;
    for (const go of this.waiting.splice(0)) go();
  }

  /**
   * Resolves once the view is about the cards as they lie here: its verdicts are on them.
   *
   * @returns {Promise<void>}
   */
  settled() {
    return this.unsettled ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }

  /**
   * The player moved cards: shown at once; `arrangementAnswered` says when the server has followed.
   *
   * @param {Arrangement} arrangement
   * @param {{send?: boolean}} [how] false where only boxes are concerned, of which the server knows nothing
   */
  rearrange(arrangement, { send = true } = {}) {
    this.arrangement = arrangement;
    if (send) {
      this.unsettled += 1;
      this.settleAt = null;
    }
    this.changed();
  }

  /**
   * The server has answered the arrangement that was the newest at `mark`.
   *
   * @param {number} mark
   * @param {Pick<import("../net/commands.js").Answer, "ok" | "version">} answer
   * @param {Pick<Table, "me" | "version">} table
   */
  arrangementAnswered(mark, answer, { me, version }) {
    if (mark !== this.unsettled) return;
    if (answer.ok && version < answer.version) this.settleAt = answer.version;
    else this.#settle();
    if (!answer.ok && me) this.arrangement = adopted(me, this.arrangement);
    this.changed();
  }

  /**
   * @param {Card} card
   * @param {boolean} [on]
   */
  toggle(card, on = !this.selected.has(card)) {
    if (on) this.selected.add(card);
    else this.selected.delete(card);
    this.changed();
  }

  /** @param {Card[]} cards */
  select(cards) {
    this.selected = new Set(cards);
    this.changed();
  }

  /** @param {Partial<Interface>} values */
  set(values) {
    Object.assign(this, values);
    this.changed();
  }

  /**
   * The hint for this moment: its sentence, its cards, and whether it has groups to be laid.
   *
   * @param {Pick<Table, "me" | "stopped">} table
   */
  hint({ me, stopped }) {
    if (!me?.hint || !this.wantsHints || stopped || this.unsettled) return null;
    return { text: me.hint, why: me.hint_why ?? "", cards: me.hint_cards, shows: me.hint_groups.length > 0 };
  }
}
