// The one place where the page keeps what it knows: the last view, and the few things that are the browser's own.

import { adopted, allCards, asFrame, melded, nothing, reconciled } from "./arrangement.js";
import { awaitedSeats } from "./clock.js";

export class Store {
  constructor() {
    this.view = null;
    this.version = -1;
    this.receivedAt = 0;
    this.arrangement = nothing();
    this.selected = new Set();
    this.events = [];
    this.link = "connecting";
    this.halted = "";
    this.seatedOut = null;
    this.panelClosed = null;
    this.panelHidden = false;
    this.pendingCard = null;
    this.unsettled = 0;
    this.settleAt = null;
    this.fresh = false;
    this.listeners = [];
    this.waiting = [];
  }

  get me() {
    return this.view?.me ?? null;
  }

  /** Whether the clock runs for the player, by what was last heard of the table. */
  get awaited() {
    return Boolean(this.me && this.view.clock && awaitedSeats(this.view).has(this.me.seat));
  }

  /** Whether nothing moves here, by the word of the server: `halted` says why, "stopped" or "waiting". */
  get stopped() {
    return this.halted !== "";
  }

  can(move) {
    return Boolean(this.me?.moves?.includes(move)) && this.link === "open" && !this.stopped;
  }

  /** To finish now is to show all thirteen cards, without having drawn. */
  get showsUndrawn() {
    return this.can("finish") && this.can("draw");
  }

  subscribe(listener) {
    this.listeners.push(listener);
  }

  changed(what = "local") {
    for (const listener of this.listeners) listener(what);
    if (!this.unsettled) for (const go of this.waiting.splice(0)) go();
  }

  /** Resolves once the view is about the cards as they lie here: its verdicts are on them. */
  settled() {
    return this.unsettled ? new Promise((resolve) => this.waiting.push(resolve)) : Promise.resolve();
  }

  setLink(status) {
    this.link = status;
    if (status === "open") this.fresh = true;
    this.changed("link");
  }

  /** Staff have stopped the table, or its result waits: nothing can be done until a state frame says otherwise. */
  halt(why) {
    this.halted = why;
    this.changed("link");
  }

  /** Takes a state frame. An older one than is shown is dropped, except the first after a reconnect. */
  take(frame) {
    if (!this.fresh && frame.version < this.version) return;
    const before = this.view;
    this.fresh = false;
    const waits = this.halted === "waiting" && frame.version === this.version;
    this.halted = frame.view.table.stopped ? "stopped" : waits ? "waiting" : "";
    this.events = before && frame.version > this.version ? (frame.events ?? []) : [];
    this.version = frame.version;
    this.seatedOut = frame.view.me ? null : (this.#lostSeat(before) ?? this.seatedOut);
    this.view = frame.view;
    this.receivedAt = performance.now();
    this.#arrange(before);
    this.changed("view");
  }

  /** What came back with a seat that the player had until now and did not give up: {returned, unready}, or null. */
  #lostSeat(before) {
    const left = before?.me
      ? this.events.find((event) => event.type === "seat_left" && event.seat === before.me.seat)
      : null;
    return left ? { returned: left.returned ?? 0, unready: before.phase === "result" } : null;
  }

  /** The player has read that their seat is gone. */
  lookOn() {
    this.seatedOut = null;
    this.changed("link");
  }

  #arrange(before) {
    const me = this.me;
    const newDeal = before?.deal?.id !== this.view.deal?.id;
    if (!me || newDeal) {
      this.arrangement = nothing();
      this.unsettled = 0;
    }
    if (!me) this.selected.clear();
    else {
      if (this.settleAt !== null && this.version >= this.settleAt) this.#settle();
      this.arrangement = this.unsettled ? reconciled(this.arrangement, me.hand) : adopted(me, this.arrangement);
      if (this.#meldingBegan(before)) this.arrangement = melded(this.arrangement, true);
      if (!this.can("submit")) this.arrangement = melded(this.arrangement, false);
    }
    const held = new Set(allCards(this.arrangement));
    this.selected = new Set([...this.selected].filter((card) => held.has(card)));
    if (this.pendingCard && !held.has(this.pendingCard.card)) this.pendingCard = null;
  }

  /** The groups a player already has go into the boxes at once: with the clock running nobody should have to do it. */
  #meldingBegan(before) {
    const could = before?.me?.moves?.includes("submit") && before.deal?.id === this.view.deal?.id;
    return !could && this.me.moves.includes("submit");
  }

  #settle() {
    this.unsettled = 0;
    this.settleAt = null;
  }

  /** The player moved cards: shown at once; `arrangementAnswered` says when the server has followed. */
  rearrange(arrangement, { tell = true } = {}) {
    this.arrangement = arrangement;
    if (tell) {
      this.unsettled += 1;
      this.settleAt = null;
    }
    this.changed("local");
  }

  groupsToSend() {
    return asFrame(this.arrangement);
  }

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

  hidePanel(key) {
    this.panelClosed = key;
    this.changed("local");
  }

  showPanel() {
    this.panelClosed = null;
    this.changed("local");
  }

  toggle(card, on = !this.selected.has(card)) {
    if (on) this.selected.add(card);
    else this.selected.delete(card);
    this.changed("local");
  }

  select(cards) {
    this.selected = new Set(cards);
    this.changed("local");
  }

  /** Whether a row of a result is the player's own: their seat may have been another's then. */
  isMine(row) {
    return row.seat === this.me?.seat && row.name === this.seat(row.seat)?.name;
  }

  seat(number) {
    return this.view?.seats.find((seat) => seat.seat === number) ?? null;
  }
}
