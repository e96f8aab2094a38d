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
    const deal = this.table.view?.deal?.id;
    if (this.pastOf !== deal) this.past = [];
    this.pastOf = deal;
    this.past = [...this.past, this.own.arrangement].slice(-KEPT_STEPS);
  }

  get canUndo() {
    return this.past.length > 0 && this.pastOf === this.table.view?.deal?.id && this.table.can("arrange");
  }

  /** Lays the cards as before the last change; what was drawn since lies loose. */
  undo() {
    const { me } = this.table;
    const before = this.canUndo && me ? this.past.pop() : null;
    if (!before || !me) return;
    this.own.select([]);
    this.#lay(reconciled(before, me.hand));
  }

  /** @param {Arrangement} arrangement */
  #rearrange(arrangement) {
    this.remember();
    this.#lay(arrangement);
  }

  /** @param {Arrangement} arrangement */
  #lay(arrangement) {
    this.own.rearrange(arrangement);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.#send(), ARRANGE_AFTER_MS);
  }

  async #send() {
    const mark = this.own.unsettled;
    this.timer = 0;
    const answer = await this.commands.ask("arrange", { groups: asFrame(this.own.arrangement) });
    if (!answer.ok && answer.code !== "frozen") toast(answer.message ?? t("That did not work."));
    this.own.arrangementAnswered(mark, answer, this.table);
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
    await this.own.settled();
  }

  /**
   * @param {Card[]} cards
   * @param {Target} target
   */
  move(cards, target) {
    if (!this.table.can("arrange")) return;
    this.#rearrange(moved(this.own.arrangement, cards, target));
    this.own.select([]);
  }

  /** Lays the groups that the hint of a first deal speaks of; all other cards lie loose. */
  showMe() {
    const { table, own } = this;
    const groups = table.me?.hint_groups ?? [];
    if (!table.can("arrange") || groups.length === 0) return;
    const loose = allCards(own.arrangement).filter((card) => !groups.some((group) => group.includes(card)));
    own.select([]);
    this.#rearrange({ groups: groups.map((cards) => ({ cards: inReadingOrder(cards), melded: false })), loose });
  }

  /** Groups the selected cards; the cards of one whole group are laid loose again. */
  group() {
    const { table, own } = this;
    const cards = this.#chosen();
    if (!table.can("arrange")) return;
    if (cards.length === 0) return void toast(t("Select the cards that belong together."), { plain: true });
    const whole = groupOf(own.arrangement, cards) !== null;
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
    const { table, own } = this;
    if (!card || !table.can("arrange")) return;
    /** @type {(number | "loose")[]} */
    const keys = [...own.arrangement.groups.keys(), "loose"];
    const here = own.arrangement.groups.findIndex((group) => group.cards.includes(card));
    const next = keys[(here < 0 ? keys.length - 1 : here) + direction];
    this.#rearrange(moved(own.arrangement, [card], { group: next ?? "new" }));
  }

  #chosen() {
    return this.hand.order().filter((card) => this.own.selected.has(card));
  }

  get wholeGroupChosen() {
    return this.own.selected.size > 0 && groupOf(this.own.arrangement, [...this.own.selected]) !== null;
  }

  meldAll() {
    if (this.table.can("submit")) this.own.rearrange(melded(this.own.arrangement, true), { send: false });
  }

  /** Puts the selected cards into a box, or all groups where none are selected. */
  meld() {
    const { table, own } = this;
    const cards = this.#chosen();
    if (!table.can("submit")) return;
    if (cards.length === 0) return void this.meldAll();
    const index = groupOf(own.arrangement, cards);
    if (index !== null) own.rearrange(melded(own.arrangement, true, index), { send: false });
    else this.#rearrange(moved(own.arrangement, cards, { group: "new", melded: true }));
    own.select([]);
  }

  /**
   * All boxes back into the hand, or one.
   *
   * @param {number | null} [index]
   */
  clear(index = null) {
    if (!this.table.can("submit")) return;
    this.own.rearrange(melded(this.own.arrangement, false, index), { send: false });
    this.own.select([]);
  }
}
