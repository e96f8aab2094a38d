// @ts-check
// How the own cards lie: groups in order, then the loose ones. Pure functions on plain values.

/** @import { Card, MeView } from "../../shared/types.js" */

/**
 * A group of cards; a melded one lies in a box of the melding screen.
 *
 * @typedef {{cards: Card[], melded: boolean}} Group
 * @typedef {{groups: Group[], loose: Card[]}} Arrangement
 */

/**
 * Where cards go: to a group by its place among the groups, among the cards that stay there `at` that place, else last.
 *
 * @typedef {{group: number | "loose" | "new", at?: number, melded?: boolean}} Target
 */

/** @type {(arrangement: Arrangement) => Arrangement} */
const copy = (arrangement) => ({
  groups: arrangement.groups.map((group) => ({ ...group, cards: [...group.cards] })),
  loose: [...arrangement.loose],
});

/** @type {(arrangement: Arrangement) => Arrangement} */
const tidy = (arrangement) => ({
  groups: arrangement.groups.filter((group) => group.cards.length > 0),
  loose: arrangement.loose,
});

/** @type {() => Arrangement} */
export const nothing = () => ({ groups: [], loose: [] });

/** @type {(arrangement: Arrangement) => Card[]} */
export const allCards = (arrangement) => [...arrangement.groups.flatMap((group) => group.cards), ...arrangement.loose];

/** @type {(arrangement: Arrangement) => Card[][]} */
export const asFrame = (arrangement) => arrangement.groups.map((group) => [...group.cards]);

/** @type {(one: Card[], other: Card[]) => boolean} */
const sameCards = (one, other) => one.length === other.length && one.every((card, place) => card === other[place]);

/**
 * The server's arrangement, with what only the browser knows: the order of loose cards, and what lies in boxes.
 *
 * @param {Pick<MeView, "groups" | "loose">} me
 * @param {Arrangement} before
 * @returns {Arrangement}
 */
export function adopted(me, before) {
  const known = before.loose.filter((card) => me.loose.includes(card));
  const fresh = me.loose.filter((card) => !known.includes(card));
  /** @type {(cards: Card[]) => boolean} */
  const inBox = (cards) => before.groups.some((group) => group.melded && sameCards(group.cards, cards));
  return {
    groups: me.groups.map((cards) => ({ cards: [...cards], melded: inBox(cards) })),
    loose: [...known, ...fresh],
  };
}

/**
 * A local arrangement made to hold exactly the cards of the hand: gone cards leave, new ones lie loose.
 *
 * @param {Arrangement} arrangement
 * @param {Card[]} hand
 */
export function reconciled(arrangement, hand) {
  const next = copy(arrangement);
  const inHand = new Set(hand);
  for (const group of next.groups) group.cards = group.cards.filter((card) => inHand.has(card));
  next.loose = next.loose.filter((card) => inHand.has(card));
  const placed = new Set(allCards(next));
  next.loose.push(...hand.filter((card) => !placed.has(card)));
  return tidy(next);
}

/**
 * The arrangement with these cards where they shall go.
 *
 * @param {Arrangement} arrangement
 * @param {Card[]} cards
 * @param {Target} to
 */
export function moved(arrangement, cards, to) {
  const next = copy(arrangement);
  const taken = new Set(cards);
  for (const group of next.groups) group.cards = group.cards.filter((card) => !taken.has(card));
  next.loose = next.loose.filter((card) => !taken.has(card));
  if (to.group === "loose") next.loose.splice(to.at ?? next.loose.length, 0, ...cards);
  else if (to.group === "new") next.groups.push({ cards: [...cards], melded: Boolean(to.melded) });
  else next.groups[to.group].cards.splice(to.at ?? next.groups[to.group].cards.length, 0, ...cards);
  return tidy(next);
}

/**
 * All groups into the boxes, or all out of them; or one group.
 *
 * @param {Arrangement} arrangement
 * @param {boolean} on
 * @param {number | null} [index]
 */
export function melded(arrangement, on, index = null) {
  const next = copy(arrangement);
  next.groups.forEach((group, place) => {
    if (index === null || index === place) group.melded = on;
  });
  return next;
}

/**
 * The index of the group made of exactly these cards, or null.
 *
 * @param {Arrangement} arrangement
 * @param {Card[]} cards
 */
export function groupOf(arrangement, cards) {
  const wanted = new Set(cards);
  const found = arrangement.groups.findIndex(
    (group) => group.cards.length === wanted.size && group.cards.every((card) => wanted.has(card)),
  );
  return found < 0 ? null : found;
}

/**
 * The server's verdict on a group, if it has seen exactly these cards together; else null.
 *
 * @typedef {{kind: import("../../shared/types.js").Kind | null, reason: string | null}} Verdict
 * @param {Pick<MeView, "groups" | "kinds" | "reasons"> | null} me
 * @param {Card[]} cards
 * @returns {Verdict | null}
 */
export function verdictOn(me, cards) {
  if (!me) return null;
  const place = me.groups.findIndex(
    (group) => group.length === cards.length && group.every((card) => cards.includes(card)),
  );
  return place < 0 ? null : { kind: me.kinds[place] ?? null, reason: me.reasons[place] ?? null };
}

/**
 * What the server's verdicts say of a hand that is submitted with these groups, of which they are `known` where no meld
 * lies apart from them: the `fault` of a show, null for none, and how many points another arrangement would save.
 *
 * @param {Pick<MeView, "groups" | "kinds" | "reasons" | "fault" | "points_to_save">} me
 * @param {Card[][]} groups
 * @returns {{known: boolean, fault: string | null | undefined, saved: number}}
 */
export function submission(me, groups) {
  const taken = groups.flat();
  const apart = me.groups.filter((cards) => !taken.includes(cards[0]));
  const known =
    groups.every((cards) => verdictOn(me, cards)) && apart.every((cards) => verdictOn(me, cards)?.kind === "invalid");
  return { known, fault: known && apart.length === 0 ? me.fault : undefined, saved: me.points_to_save ?? 0 };
}
