// What the player does, from whichever button, key or finger it comes. What is allowed stands in the view's moves.

import { byId, el } from "../dom.js";
import { asFrame, groupOf, melded, moved, verdictOn } from "../model/arrangement.js";
import { inReadingOrder } from "../model/cards.js";
import { confirmDrop, confirmFinish, confirmShow, confirmSubmit, leaveDialog } from "../view/dialogs.js";
import { toast } from "../view/toasts.js";

const ARRANGE_AFTER_MS = 250;

export class Actions {
  constructor(store, commands, hand) {
    this.store = store;
    this.commands = commands;
    this.hand = hand;
    this.timer = 0;
    this.seeded = new Set();
    this.sent = new Set();
  }

  /** Asks once at a time; a refusal is shown in the server's own words. Resolves to whether it was done. */
  async ask(type, fields = {}, { again = null } = {}) {
    if (this.sent.has(type)) return false;
    this.sent.add(type);
    this.store.changed("local");
    let answer = await this.commands.ask(type, fields);
    if (!answer.ok && answer.code === "stale" && again?.()) answer = await this.commands.ask(type, fields);
    this.sent.delete(type);
    if (!answer.ok && answer.code !== "frozen") toast(answer.message ?? "That did not work.");
    this.store.changed("local");
    return answer.ok;
  }

  isAsking(type) {
    return this.sent.has(type);
  }

  /** A stale move is repeated once if it clearly means the same: same turn, and the move is still open. */
  #sameTurn(move, still = () => true) {
    const { deal } = this.store.view;
    const before = `${deal?.id}-${deal?.turn_number}`;
    return () => {
      const now = this.store.view.deal;
      return `${now?.id}-${now?.turn_number}` === before && this.store.can(move) && still();
    };
  }

  draw(pile) {
    const { store } = this;
    if (!store.can("draw") || (pile === "open" && !store.me.pickable_open)) return;
    const top = store.view.deal.open_top;
    this.ask(
      "draw",
      { pile },
      { again: this.#sameTurn("draw", () => pile === "closed" || store.view.deal.open_top === top) },
    );
  }

  /** The one card meant: the only selected one, or the focused one when none is selected. */
  oneCard() {
    const { selected } = this.store;
    if (selected.size === 1) return [...selected][0];
    return selected.size === 0 && byId("hand").contains(document.activeElement) ? this.hand.focused : null;
  }

  async discard(card = this.oneCard()) {
    const { store } = this;
    if (!store.can("discard")) return;
    if (!card) return void toast("Select the one card that you want to discard.", { plain: true });
    await this.#flush();
    store.pendingCard = { card, pile: "open" };
    const done = await this.ask(
      "discard",
      { card },
      { again: this.#sameTurn("discard", () => store.me.hand.includes(card)) },
    );
    if (!done) store.pendingCard = null;
    store.changed("local");
  }

  async finish(card = this.oneCard()) {
    const { store } = this;
    if (!store.can("finish")) return;
    if (store.showsUndrawn) return void this.#show();
    if (!card) return void toast("Select the one card to place in the finish slot.", { plain: true });
    await this.#judged();
    if (!store.can("finish") || !store.me.hand.includes(card)) return;
    if (!(await confirmFinish(store, card)) || !store.can("finish")) return;
    this.ask("finish", { card }, { again: this.#sameTurn("finish", () => store.me.hand.includes(card)) });
  }

  /** A show of all thirteen before drawing: no card lies in the finish slot. */
  async #show() {
    const { store } = this;
    await this.#judged();
    if (!store.showsUndrawn || !(await confirmShow(store)) || !store.showsUndrawn) return;
    this.ask("finish", {}, { again: this.#sameTurn("finish", () => store.showsUndrawn) });
  }

  async drop() {
    const { store } = this;
    if (!store.can("drop")) return;
    const points = store.me.drop_points;
    if (!(await confirmDrop(points)) || !store.can("drop")) return;
    this.ask("drop", {}, { again: this.#sameTurn("drop", () => store.me.drop_points === points) });
  }

  autoDrop() {
    if (this.store.can("auto_drop")) this.ask("auto_drop", { on: !this.store.me.auto_drop });
  }

  async sort() {
    if (!this.store.can("sort")) return;
    clearTimeout(this.timer);
    if (await this.ask("sort")) this.store.select([]);
  }

  async leave() {
    if (!this.store.me || !this.store.can("leave")) return void location.assign(document.body.dataset.lobby);
    if ((await leaveDialog(this.store)) && (await this.ask("leave"))) location.assign(document.body.dataset.lobby);
  }

  // --- arranging ---

  #rearrange(arrangement) {
    this.store.rearrange(arrangement);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#send(), ARRANGE_AFTER_MS);
  }

  async #send() {
    const mark = this.store.unsettled;
    this.timer = 0;
    const answer = await this.commands.ask("arrange", { groups: asFrame(this.store.arrangement) });
    if (!answer.ok && answer.code !== "frozen") toast(answer.message);
    this.store.arrangementAnswered(mark, answer);
  }

  /** Sends what is not sent yet: the arrangement is what counts when time is over. */
  #flush() {
    if (!this.timer) return Promise.resolve();
    clearTimeout(this.timer);
    return this.#send();
  }

  /** The view's verdicts are on the cards as they lie now. */
  async #judged() {
    await this.#flush();
    await this.store.settled();
  }

  move(cards, target) {
    if (target.pile === "open") return void this.discard(cards[0]);
    if (target.pile === "finish") return void this.finish(cards[0]);
    if (!this.store.can("arrange")) return;
    this.#rearrange(moved(this.store.arrangement, cards, target));
    this.store.select([]);
  }

  /** Groups the selected cards; the cards of one whole group are laid loose again. */
  group() {
    const { store } = this;
    const cards = this.#chosen();
    if (!store.can("arrange")) return;
    if (cards.length === 0) return void toast("Select the cards that belong together.", { plain: true });
    const whole = groupOf(store.arrangement, cards) !== null;
    this.move(inReadingOrder(cards), { group: whole ? "loose" : "new" });
  }

  loosen() {
    const cards = this.#chosen();
    if (cards.length > 0 && this.store.can("arrange")) this.move(cards, { group: "loose" });
  }

  /** Moves one card to the group beside it: the keyboard's way of dragging. */
  shift(card, direction) {
    const { store } = this;
    if (!card || !store.can("arrange")) return;
    const keys = [...store.arrangement.groups.keys(), "loose"];
    const here = store.arrangement.groups.findIndex((group) => group.cards.includes(card));
    const next = keys[(here < 0 ? keys.length - 1 : here) + direction];
    this.#rearrange(moved(store.arrangement, [card], { group: next ?? "new" }));
  }

  #chosen() {
    return this.hand.order().filter((card) => this.store.selected.has(card));
  }

  get wholeGroupChosen() {
    return this.store.selected.size > 0 && groupOf(this.store.arrangement, [...this.store.selected]) !== null;
  }

  // --- melding ---

  meldAll() {
    if (this.store.can("submit")) this.store.rearrange(melded(this.store.arrangement, true), { tell: false });
  }

  meld() {
    const { store } = this;
    const cards = this.#chosen();
    if (!store.can("submit")) return;
    if (cards.length === 0) return this.meldAll();
    const index = groupOf(store.arrangement, cards);
    if (index !== null) store.rearrange(melded(store.arrangement, true, index), { tell: false });
    else this.#rearrange(moved(store.arrangement, cards, { group: "new", melded: true }));
    store.select([]);
  }

  /** All boxes back into the hand, or one. */
  clear(index = null) {
    if (!this.store.can("submit")) return;
    this.store.rearrange(melded(this.store.arrangement, false, index), { tell: false });
    this.store.select([]);
  }

  async submit() {
    const { store } = this;
    if (!store.can("submit")) return;
    await this.#judged();
    if (!store.can("submit")) return;
    const groups = store.arrangement.groups.filter((group) => group.melded).map((group) => group.cards);
    if (!(await confirmSubmit(store, groups, this.#openCards(groups))) || !store.can("submit")) return;
    await this.#flush();
    this.ask("submit", { groups }, { again: () => store.can("submit") });
  }

  /** What would make the player think twice: cards in no box, or in a group that is no meld. */
  #openCards(groups) {
    const good = groups
      .filter((cards) => !["invalid", null, undefined].includes(verdictOn(this.store.me, cards)?.kind))
      .flat();
    return this.hand.order().filter((card) => !good.includes(card));
  }

  // --- around the deal ---

  continue() {
    if (this.store.can("continue")) this.ask("continue");
  }

  /** Another practice table like this one; the seat here, where it is still held, is given up first. */
  async playAgain() {
    const { table } = this.store.view;
    if (this.store.can("leave") && !(await this.ask("leave"))) return;
    const fields = { csrfmiddlewaretoken: document.body.dataset.csrf, book: table.book, players: table.seats };
    const inputs = Object.entries(fields).map(([name, value]) => el("input", { type: "hidden", name, value }));
    const form = el("form", { method: "post", action: document.body.dataset.practice, hidden: true }, ...inputs);
    document.body.append(form);
    form.submit();
  }

  addChips(amount) {
    return this.ask("add_chips", { amount });
  }

  rejoin(accept) {
    if (this.store.can("rejoin")) this.ask("rejoin", { accept });
  }

  offerSplit() {
    if (this.store.can("offer_split")) this.ask("offer_split");
  }

  answerSplit(accept) {
    if (this.store.can("answer_split")) this.ask("answer_split", { accept });
  }

  /** This browser's share in the shuffle of the coming deal, given once the table is committed to its own. */
  async seed() {
    const { store } = this;
    const deal = store.view.next_deal ?? store.view.deal;
    if (!store.can("client_seed") || !deal?.commitment || this.seeded.has(deal.id)) return;
    this.seeded.add(deal.id);
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const seed = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    await this.commands.ask("client_seed", { seed });
  }
}
