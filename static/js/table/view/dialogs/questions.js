// @ts-check
// What is asked before a move that cannot be taken back. What lies there is judged by the server.

import { cardFace } from "../../../shared/card_faces.js";
import { cardName } from "../../../shared/cards.js";
import { el } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { dropQuestion, KINDS, leaveText, plural, price } from "../../../shared/words.js";
import { submission, verdictOn } from "../../model/arrangement.js";
import { paragraph, show } from "./window.js";

/** @import { Card, MeView } from "../../../shared/types.js" */
/** @import { Store } from "../../model/state.js" */
/** @import { Choice } from "./window.js" */

const THIRTEEN = t("You show all 13 cards without drawing, and no card goes to the finish slot.");
const REARRANGE = t("You may still rearrange them before you submit.");

/**
 * Whether the player says yes; the first choice is the one that changes nothing.
 *
 * @type {(title: string, body: HTMLElement[], choices: [Choice, Choice], name?: string) => Promise<boolean>}
 */
const ask = async (title, body, choices, name) => (await show(title, body, choices, name)) === "yes";

/** @param {Store} store */
export function confirmDrop({ table: { me, view } }) {
  const points = me?.drop_points ?? 0;
  const text = points ? t("Drop for {points}", { points }) : t("Drop");
  const cost = price(points, me?.drop_costs ?? 0, view?.table);
  /** @type {[Choice, Choice]} */
  const choices = [
    { text: t("Keep playing"), value: "", focus: true },
    { text, value: "yes", class: "is-grave" },
  ];
  return ask(t("Drop this deal?"), [paragraph(dropQuestion(cost, me?.drop_eliminates))], choices, "turn-question");
}

/** @type {(text: string, grave: boolean) => [Choice, Choice]} */
const notYet = (text, grave) => [
  { text: t("Not yet"), value: "", focus: true },
  { text, value: "yes", class: grave ? "is-grave" : "is-main" },
];

/**
 * @param {Store} store
 * @param {Card} card
 */
export async function confirmFinish(store, card) {
  const { me } = store.table;
  if (!me) return false;
  const wildRank = wildRankOf(store);
  const fault = me.fault_without?.[card];
  const slot = t("The {card} goes to the finish slot.", { card: cardName(card) });
  const text = t("{slot} You then show your other 13 cards; you may still rearrange them before you submit.", { slot });
  const body = [
    el("div", { class: "finish-line" }, cardFace(card, { wildRank }), paragraph(text)),
    el("ul", { class: "show-groups" }, ...groupsWithout(store, me, card)),
    verdictOnShow(fault, store),
  ];
  return ask(t("Finish with this card?"), body, notYet(t("Finish"), Boolean(fault)), "turn-question");
}

/** @param {Store} store */
const wildRankOf = (store) => store.table.view?.deal?.wild_rank ?? null;

/**
 * The groups as they would be shown, and the loose cards.
 *
 * @param {Store} store
 * @param {MeView} me
 * @param {Card} card
 */
function groupsWithout(store, me, card) {
  const wildRank = wildRankOf(store);
  /** @type {(kind: string, cards: Card[], text: string) => HTMLElement} */
  const line = (kind, cards, text) =>
    el("li", { class: `show-group is-${kind}` }, miniCards(cards, wildRank), el("span", { text }));
  const lines = store.own.arrangement.groups.flatMap((group) => {
    const cards = group.cards.filter((one) => one !== card);
    const kind = cards.length === group.cards.length ? verdictOn(me, cards)?.kind : null;
    return cards.length > 0 ? [line(kind ?? "open", cards, kind ? KINDS[kind] : t("without the card"))] : [];
  });
  const loose = store.own.arrangement.loose.filter((one) => one !== card);
  return loose.length > 0 ? [...lines, line("invalid", loose, t("loose"))] : lines;
}

/**
 * Before drawing, in books that allow it.
 *
 * @param {Store} store
 */
export async function confirmShow(store) {
  const { me } = store.table;
  if (!me) return false;
  const body = [paragraph(`${THIRTEEN} ${REARRANGE}`), verdictOnShow(me.fault, store)];
  return ask(t("Show without drawing?"), body, notYet(t("Show"), Boolean(me.fault)), "turn-question");
}

/**
 * What the server says of a show that lies like this: `fault` is null for a valid one, undefined if not known. It is no
 * warning where nothing can be done about it.
 *
 * @param {string | null | undefined} fault
 * @param {Store} store
 */
function verdictOnShow(fault, { table: { me, view } }, warns = true) {
  if (fault === null) return el("p", { class: "show-verdict is-valid", text: t("These cards are a valid show ✓") });
  const cost = price(me?.wrong_show_points ?? 0, me?.wrong_show_costs ?? 0, view?.table);
  const costText = t("A wrong show costs you {points}.", { points: cost });
  if (fault === undefined) return el("p", { class: "show-verdict", text: costText });
  const wrong = el("b", { text: t("These cards are not a valid show.") });
  return el("p", { class: lookOf(warns) }, wrong, ` ${fault} ${costText}`);
}

/** @type {(warns: boolean) => string} */
const lookOf = (warns) => `show-verdict${warns ? " is-wrong" : ""}`;

/**
 * Asks only where something speaks against it: `groups` are in the boxes, `open` cards in no finished group. It warns
 * where the same cards could lie better.
 *
 * @param {Store} store
 * @param {Card[][]} groups
 * @param {Card[]} open
 */
export async function confirmSubmit(store, groups, open) {
  const { me, view } = store.table;
  if (!me || !view) return false;
  const declarer = view.melding_by === me.seat;
  const { known, fault, saved } = submission(me, groups);
  if (known && (declarer ? fault === null : open.length + saved === 0)) return true;
  const warns = !known || saved > 0;
  const told = known ? couldBe(saved, declarer) : UNBOXED;
  const verdict = declarer
    ? [verdictOnShow(fault, store, warns), paragraph(told)]
    : [el("p", { class: lookOf(warns), text: `${counted(me, known)} ${told}` })];
  const body = [...openCards(open, wildRankOf(store)), ...verdict];
  /** @type {[Choice, Choice]} */
  const arrangeAgain = [
    { text: t("Arrange again"), value: "", focus: true },
    { text: t("Submit anyway"), value: "yes", class: "is-grave" },
  ];
  return ask(t("Submit like this?"), body, warns ? arrangeAgain : notYet(t("Submit"), false), "meld-question");
}

const UNBOXED = t("What lies in no box counts as loose.");

/** @type {(me: MeView, known: boolean) => string} */
function counted({ points }, known) {
  const told = { points: plural(points ?? 0, "point") };
  return known
    ? t("As it lies your hand counts {points}.", told)
    : t("In the boxes your hand would count {points}.", told);
}

/** @type {(saved: number, declarer: boolean) => string} */
function couldBe(saved, declarer) {
  if (saved > 0) return t("Arranged better, these cards save you {points}.", { points: plural(saved, "point") });
  return declarer
    ? t("No arrangement of these cards is a valid show.")
    : t("No arrangement of these cards counts less.");
}

/** @type {(open: Card[], wildRank: number | null) => HTMLElement[]} */
function openCards(open, wildRank) {
  if (open.length === 0) return [];
  const some =
    open.length === 1
      ? t("1 card is in no finished group.")
      : t("{count} cards are in no finished group.", { count: open.length });
  return [paragraph(some), miniCards(open, wildRank)];
}

/** @type {(cards: Card[], wildRank: number | null) => HTMLElement} */
function miniCards(cards, wildRank) {
  return el("span", { class: "mini-row mini" }, ...cards.map((card) => cardFace(card, { wildRank })));
}

/**
 * How the player leaves: "yes", by a "drop" where that is cheaper, or not at all.
 *
 * @param {Store} store
 * @returns {Promise<string>}
 */
export async function leaveDialog({ table: { view, me } }) {
  if (!view) return "";
  const leave = { text: t("Leave the table"), value: "yes", class: "is-grave" };
  /** @type {Choice[]} */
  const choices = [{ text: t("Stay"), value: "", focus: true }, leave];
  const body = [paragraph(leaveText(view))];
  if (me?.drop_spares) {
    const cost = price(me.drop_points ?? 0, me.drop_costs, view.table);
    body.push(paragraph(t("Drop first, and it costs you {points}, no more.", { points: cost })));
    choices.push({
      text: t("Drop for {points} and leave", { points: me.drop_points }),
      value: "drop",
      class: "is-main",
    });
  }
  return show(t("Leave the table?"), body, choices, "leave-question");
}
