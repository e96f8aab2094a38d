// @ts-check
// How the player lays the own cards: shown at once, and told to the server soon after.

import { inReadingOrder } from "../../shared/cards.js";
import { t } from "../../shared/language.js";
import { allCards, asFrame, groupOf, melded, moved, reconciled } from "../model/arrangement.js";
import { toast } from "../view/toasts.js";
import { Requests } from "./requests.js";

/** @import { Card } from "../../shared/types.js" */
/** @import { Arrangement, Target } from "../model/arrangement.js" */

const ARRANGE_AFTER_MS = 250;
/** So many changes can be undone. */
const KEPT_STEPS = 20;

export class Arranging extends Requests {
  /** @param {ConstructorParameters<typeof Requests>} parts */
  constructor(...parts) {
    super(...parts);
    this.timer = 0;
    /** How the cards of this deal lay before each of the last changes. @type {Arrangement[]} */
    this.past = [];
    /** @type {import("../../shared/types.js").DealId | undefined} */
    this.pastOf = undefined;
  }

  /** Keeps how the cards lie now, for `undo`. */
  remember() {
    const deal = this.store.view?.deal?.id;
    if (this.pastOf !== deal) this.past = [];
    this.pastOf = deal;
    this.past = [...this.past, this.store.arrangement].slice(-KEPT_STEPS);
  }

  get canUndo() {
    return this.past.length > 0 && this.pastOf === this.store.view?.deal?.id && this.store.can("arrange");
  }

  /** Lays the cards as before the last change; what was drawn since lies loose. */
  undo() {
    const { me } = this.store;
    const before = this.canUndo && me ? this.past.pop() : null;
    if (!before || !me) return;
    this.store.select([]);
    this.#lay(reconciled(before, me.hand));
  }

  /** @param {Arrangement} arrangement */
  #rearrange(arrangement) {
    this.remember();
    this.#lay(arrangement);
  }

  /** @param {Arrangement} arrangement */
  #lay(arrangement) {
    this.store.rearrange(arrangement);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.#send(), ARRANGE_AFTER_MS);
  }

  async #send() {
    const mark = this.store.unsettled;
    this.timer = 0;
    const answer = await this.commands.ask("arrange", { groups: asFrame(this.store.arrangement) });
    if (!answer.ok && answer.code !== "frozen") toast(answer.message ?? t("That did not work."));
    this.store.arrangementAnswered(mark, answer);
  }

  /** Sends what is not sent yet: the arrangement is what counts when time is over. */
  async flush() {
    if (!this.timer) return;
    clearTimeout(this.timer);
    await this.#send();
  }

  /** Resolves once the view's verdicts are on the cards as they lie now. */
  async judged() {
    await this.flush();
    await this.store.settled();
  }

  /**
   * @param {Card[]} cards
   * @param {Target} target
   */
  move(cards, target) {
    if (!this.store.can("arrange")) return;
    this.#rearrange(moved(this.store.arrangement, cards, target));
    this.store.select([]);
  }

  /** Lays the groups that the hint of a first deal speaks of; all other cards lie loose. */
  showMe() {
    const { store } = this;
    const groups = store.me?.hint_groups ?? [];
    if (!store.can("arrange") || groups.length === 0) return;
    const loose = allCards(store.arrangement).filter((card) => !groups.some((group) => group.includes(card)));
    store.select([]);
    this.#rearrange({ groups: groups.map((cards) => ({ cards: inReadingOrder(cards), melded: false })), loose });
  }

  /** Groups the selected cards; the cards of one whole group are laid loose again. */
  group() {
    const { store } = this;
    const cards = this.#chosen();
    if (!store.can("arrange")) return;
    if (cards.length === 0) return void toast(t("Select the cards that belong together."), { plain: true });
    const whole = groupOf(store.arrangement, cards) !== null;
    this.move(inReadingOrder(cards), { group: whole ? "loose" : "new" });
  }

  loosen() {
    const cards = this.#chosen();
    if (cards.length > 0) this.move(cards, { group: "loose" });
  }

  /**
   * Moves one card to the group beside it: the keyboard's way of dragging.
   *
   * @param {Card | null} card
   * @param {number} direction
   */
  shift(card, direction) {
    const { store } = this;
    if (!card || !store.can("arrange")) return;
    /** @type {(number | "loose")[]} */
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

  meldAll() {
    if (this.store.can("submit")) this.store.rearrange(melded(this.store.arrangement, true), { send: false });
  }

  /** Puts the selected cards into a box, or all groups where none are selected. */
  meld() {
    const { store } = this;
    const cards = this.#chosen();
    if (!store.can("submit")) return;
    if (cards.length === 0) return void this.meldAll();
    const index = groupOf(store.arrangement, cards);
    if (index !== null) store.rearrange(melded(store.arrangement, true, index), { send: false });
    else this.#rearrange(moved(store.arrangement, cards, { group: "new", melded: true }));
    store.select([]);
  }

  /**
   * All boxes back into the hand, or one.
   *
   * @param {number | null} [index]
   */
  clear(index = null) {
    if (!this.store.can("submit")) return;
    this.store.rearrange(melded(this.store.arrangement, false, index), { send: false });
    this.store.select([]);
  }
}
