// @ts-check
// The one place where the page keeps what it knows: the last view, and the few things that are the browser's own.

import { adopted, allCards, melded, nothing, reconciled } from "./arrangement.js";
import { awaitedSeats } from "./clock.js";
import { lostSeat } from "./lost_seat.js";

/** @import { Card, MeView, StateFrame, TableEvent, View } from "../../shared/types.js" */
/** @import { Arrangement } from "./arrangement.js" */
/** @typedef {import("../net/socket.js").Status} Link */

/**
 * What has changed: a new "view", the "link", the "mode" of the room, or something "local".
 *
 * @typedef {"view" | "link" | "mode" | "local"} Change
 */

/**
 * A store that has seen its first view: everything that draws is given one.
 *
 * @typedef {Store & {view: View}} Shown
 */

export class Store {
  constructor() {
    /** @type {View | null} */
    this.view = null;
    this.version = -1;
    this.receivedAt = 0;
    this.arrangement = nothing();
    /** @type {Set<Card>} */
    this.selected = new Set();
    /** @type {TableEvent[]} */
    this.events = [];
    /** @type {Link} */
    this.link = "connecting";
    /** @type {"" | "stopped" | "waiting"} */
    this.halted = "";
    /** Whether the player waits for the answer to a press, longer than they would notice. */
    this.onItsWay = false;
    /** @type {import("./lost_seat.js").SeatedOut | null} */
    this.seatedOut = null;
    this.wantsHints = true;
    this.dismissHints = () => {
      this.wantsHints = false;
      this.changed("local");
    };
    /** Whether the player gives up the seat by their own will. */
    this.leaving = false;
    /** @type {number | null} The match that those here may play again together. */
    this.rematch = null;
    /** @type {string | null} */
    this.panelClosed = null;
    this.panelHidden = false;
    /** @type {{card: Card, pile: string} | null} */
    this.pendingCard = null;
    this.unsettled = 0;
    /** @type {number | null} */
    this.settleAt = null;
    this.fresh = false;
    /** @type {((what: Change) => void)[]} */
    this.listeners = [];
    /** @type {(() => void)[]} */
    this.waiting = [];
  }

  get me() {
    return this.view?.me ?? null;
  }

  /** Whether the table waits for the player, by what was last heard of it. */
  get awaited() {
    return Boolean(this.view?.me && awaitedSeats(this.view).has(this.view.me.seat));
  }

  /** Whether nothing moves here, by the word of the server: `halted` says why, "stopped" or "waiting". */
  get stopped() {
    return this.halted !== "";
  }

  /** @param {string} move */
  can(move) {
    return Boolean(this.me?.moves?.includes(move)) && this.link === "open" && !this.stopped;
  }

  /** The hint for this moment: its sentence, its cards, and whether it has groups to be laid. */
  get hint() {
    const { me } = this;
    if (!me?.hint || !this.wantsHints || this.stopped || this.unsettled) return null;
    return { text: me.hint, why: me.hint_why ?? "", cards: me.hint_cards, shows: me.hint_groups.length > 0 };
  }

  /** To finish now is to show all thirteen cards, without having drawn. */
  get showsUndrawn() {
    return this.can("finish") && this.can("draw");
  }

  /** @param {(what: Change) => void} listener */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  /** @param {Change} [what] */
  changed(what = "local") {
    for (const listener of this.listeners) listener(what);
    if (!this.unsettled) for (const go of this.waiting.splice(0)) go();
  }

  /**
   * Resolves once the view is about the cards as they lie here: its verdicts are on them.
   *
   * @returns {Promise<void>}
   */
  settled() {
    return this.unsettled ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }

  /** @param {Link} status */
  setLink(status) {
    this.link = status;
    if (status === "open") this.fresh = true;
    this.changed("link");
  }

  /**
   * Staff have stopped the table, or its result waits: nothing can be done until a state frame says otherwise.
   *
   * @param {"stopped" | "waiting"} why
   */
  halt(why) {
    this.halted = why;
    this.changed("link");
  }

  /**
   * Takes a state frame. An older one than is shown is dropped, except the first after a reconnect.
   *
   * @param {Pick<StateFrame, "version" | "events" | "view">} frame
   */
  take(frame) {
    if (!this.fresh && frame.version < this.version) return;
    const before = this.view;
    this.fresh = false;
    const waiting = this.halted === "waiting" && frame.version === this.version ? "waiting" : "";
    this.halted = frame.view.table.stopped ? "stopped" : waiting;
    this.events = before && frame.version > this.version ? frame.events : [];
    this.version = frame.version;
    this.seatedOut = frame.view.me ? null : (lostSeat(this, before) ?? this.seatedOut);
    this.view = frame.view;
    this.receivedAt = performance.now();
    this.#arrange(frame.view, before);
    this.changed("view");
  }

  /** The player has read that their seat is gone. */
  lookOn() {
    this.seatedOut = null;
    this.changed("link");
  }

  /**
   * Lays the cards as the server has them, or as the player has while the server does not know it yet.
   *
   * @param {View} view
   * @param {View | null} before
   */
  #arrange(view, before) {
    const { me } = view;
    const newDeal = before?.deal?.id !== view.deal?.id;
    if (!me || newDeal) {
      this.arrangement = nothing();
      this.unsettled = 0;
    }
    if (!me) this.selected.clear();
    else {
      if (this.settleAt !== null && this.version >= this.settleAt) this.#settle();
      this.arrangement = this.unsettled ? reconciled(this.arrangement, me.hand) : adopted(me, this.arrangement);
      if (meldingBegan(view, before)) this.arrangement = melded(this.arrangement, true);
      if (!this.can("submit")) this.arrangement = melded(this.arrangement, false);
    }
    const inHand = new Set(allCards(this.arrangement));
    this.selected = new Set([...this.selected].filter((card) => inHand.has(card)));
    if (this.pendingCard && !inHand.has(this.pendingCard.card)) this.pendingCard = null;
  }

  #settle() {
    this.unsettled = 0;
    this.settleAt = null;
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
    this.changed("local");
  }

  /**
   * The server has answered the arrangement that was the newest at `mark`.
   *
   * @param {number} mark
   * @param {Pick<import("../net/commands.js").Answer, "ok" | "version">} answer
   */
  arrangementAnswered(mark, answer) {
    if (mark !== this.unsettled) return;
    if (!answer.ok) {
      this.#settle();
      if (this.me) this.arrangement = adopted(this.me, this.arrangement);
    } else if (this.version >= answer.version) {
      this.#settle();
    } else {
      this.settleAt = answer.version;
    }
    this.changed("local");
  }

  /** @param {string} key */
  hidePanel(key) {
    this.panelClosed = key;
    this.changed("local");
  }

  showPanel() {
    this.panelClosed = null;
    this.changed("local");
  }

  /**
   * @param {Card} card
   * @param {boolean} [on]
   */
  toggle(card, on = !this.selected.has(card)) {
    if (on) this.selected.add(card);
    else this.selected.delete(card);
    this.changed("local");
  }

  /** @param {Card[]} cards */
  select(cards) {
    this.selected = new Set(cards);
    this.changed("local");
  }

  /**
   * The rows of the result in that view, each with whether it is the player's own.
   *
   * @param {View} view
   */
  rowsOf(view) {
    return view.result?.rows.map((row) => ({ ...row, mine: this.isMine(row) })) ?? null;
  }

  /**
   * Whether a row of a result is the player's own: their seat may have been another's then.
   *
   * @param {{seat: number, name: string | null}} row
   */
  isMine(row) {
    return row.seat === this.me?.seat && row.name === this.seat(row.seat)?.name;
  }

  /** @param {number | null | undefined} number */
  seat(number) {
    return this.view?.seats.find((seat) => seat.seat === number) ?? null;
  }
}

/**
 * The groups a player already has go into the boxes at once: with the clock running nobody should have to do it.
 *
 * @param {View} view
 * @param {View | null} before
 */
function meldingBegan(view, before) {
  const could = before?.me?.moves.includes("submit") && before.deal?.id === view.deal?.id;
  return !could && Boolean(view.me?.moves.includes("submit"));
}
