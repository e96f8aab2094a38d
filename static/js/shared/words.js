// @ts-check
// Every sentence the page says by itself. What the server says is shown as it comes.

import { t } from "./language.js";

/** @typedef {import("./types.js").CurrencyView} Unit */
/** @import { TableView, View } from "./types.js" */

/**
 * An amount as the table's money is written, in lakhs: `table.money` of the view.
 *
 * @param {number} amount whole, in the smallest part of the currency
 * @param {Pick<Unit, "digits" | "sign">} unit
 */
export function money(amount, { digits, sign }) {
  // Grouped by hand: on loading number formats of its own, a browser spends a quarter of the first drawing.
  const text = String(Math.abs(amount)).padStart(digits + 1, "0");
  const point = text.length - digits;
  const whole = text.slice(0, point).replace(/\d(?=(\d\d)+\d$)/g, "$&,");
  const part = digits ? `.${text.slice(point)}` : "";
  return `${amount < 0 ? "−" : ""}${sign}${whole}${part}`;
}

const CRORE = 10_000_000;

/**
 * An amount for where there is little room: from a crore on in crores, never more than it is.
 *
 * @param {number} amount not below zero
 * @param {Pick<Unit, "digits" | "sign">} unit
 */
export function moneyInShort(amount, unit) {
  const crore = CRORE * 10 ** unit.digits;
  if (amount < crore) return money(amount, unit);
  const digits = amount < 100 * crore ? 2 : 0;
  return t("{amount} Cr", { amount: money(Math.floor((amount / crore) * 10 ** digits), { ...unit, digits }) });
}

/**
 * The amount with its unit: "1,500 chips", or with a sign "¤15.00".
 *
 * @param {number} amount
 * @param {Unit} unit
 */
export function chips(amount, unit) {
  const shown = money(amount, unit);
  if (!unit.noun) return shown;
  return amount === 1 ? t("{amount} chip", { amount: shown }) : t("{amount} chips", { amount: shown });
}

/** @type {(stack: number, least: number, unit: Unit) => string} */
export const needsText = (stack, least, unit) =>
  t("On the table: {stack}. A deal needs {needed}.", { stack: chips(stack, unit), needed: chips(least, unit) });

/** At a table of a tournament that staff have paused, between two deals. */
export const pausedText = () =>
  t("Our staff have paused the tournament: the next deal waits for them, and nobody loses time.");

/**
 * What was won or lost: with its sign.
 *
 * @param {number} amount
 * @param {Unit} unit
 */
export function signed(amount, unit) {
  return amount > 0 ? `+${money(amount, unit)}` : money(amount, unit);
}

/** @type {(count: number, one: "card" | "chip" | "drop" | "point" | "second") => string} */
export function plural(count, one) {
  const single = count === 1;
  const texts = {
    card: single ? t("{count} card", { count }) : t("{count} cards", { count }),
    chip: single ? t("{amount} chip", { amount: count }) : t("{amount} chips", { amount: count }),
    drop: single ? t("{count} drop", { count }) : t("{count} drops", { count }),
    point: single ? t("{count} point", { count }) : t("{count} points", { count }),
    second: single ? t("{count} second", { count }) : t("{count} seconds", { count }),
  };
  return texts[one];
}

/**
 * What somebody has in a match: points, or chips where these are won from the others.
 *
 * @type {(total: number | null, table: TableView) => string}
 */
export const totalText = (total, table) => plural(total ?? 0, table.chips_a_deal ? "chip" : "point");

/** @type {(of: {table: TableView}) => string} */
export const continueText = ({ table }) => (table.practice ? t("Play again") : t("Continue"));

/** @type {Record<import("../table/model/calls.js").Call, string>} */
const CALLS = {
  turn: t("Your turn"),
  submit: t("Submit your hand"),
  answer: t("Your answer is needed"),
  continue: t("Continue to keep your seat"),
  start: t("The deal begins"),
};

/**
 * What the player is called for, in words. Who does not continue loses the seat only where a point has a value.
 *
 * @type {(call: import("../table/model/calls.js").Call, table: TableView | undefined) => string}
 */
export function callText(call, table) {
  if (call !== "continue" || !table) return CALLS[call];
  if (table.practice) return t("The table waits for you");
  if (table.tournament?.paused) return t("The table waits");
  return table.point_value === null ? t("The deal begins in a moment") : CALLS[call];
}

/** @type {Record<import("./types.js").Kind, string>} */
export const KINDS = {
  pure: t("Pure sequence"),
  impure: t("Impure sequence"),
  set: t("Set"),
  jokers: t("Jokers"),
  invalid: t("Not yet"),
};

/**
 * What a group of the hand is called by those who do not see it.
 *
 * @param {number | "loose"} key
 * @param {import("../table/model/arrangement.js").Verdict | null | undefined} verdict
 */
export function groupName(key, verdict) {
  if (key === "loose") return t("Loose cards");
  const name = t("Group {number}: {kind}", {
    number: key + 1,
    kind: verdict?.kind ? KINDS[verdict.kind] : t("being checked"),
  });
  return verdict?.reason ? t("{name}. {reason}", { name, reason: verdict.reason }) : name;
}

/** @type {Record<import("./types.js").Outcome, string>} */
export const OUTCOMES = {
  won: t("Won"),
  lost: t("Lost"),
  dropped: t("Dropped"),
  wrong: t("Wrong show"),
  left: t("Left"),
};

/** @type {Partial<Record<import("./types.js").SeatStatus, string>>} */
export const STATUSES = {
  dropped: OUTCOMES.dropped,
  wrong: OUTCOMES.wrong,
  left: OUTCOMES.left,
  out: t("Out"),
  submitted: t("Submitted"),
  waiting: t("Next deal"),
};

/** @param {Pick<TableView, "book" | "book_title">} table */
export function bookTitle(table) {
  if (table.book_title) return table.book_title;
  const text = table.book.replaceAll("-", " ");
  return text[0].toUpperCase() + text.slice(1);
}

const BETWEEN = " · ";

/** @type {(table: Pick<TableView, "title" | "book" | "book_title">) => boolean} */
const isNamedByItsGame = (table) => table.title.split(BETWEEN).includes(bookTitle(table));

/**
 * The name of a table: its game alone, where that is a part of the title.
 *
 * @param {Pick<TableView, "id" | "title" | "book" | "book_title">} table
 */
export function heading(table) {
  if (!table.title) return t("Table {id}", { id: table.id });
  return isNamedByItsGame(table) ? bookTitle(table) : table.title;
}

/**
 * Where one stands in the tournament of the table: the place, the deal, the round, and how long an arena still runs;
 * short enough for the line in the header of a phone.
 *
 * @param {import("./types.js").TournamentView} part
 * @param {number} [now] ms since 1970
 */
export function standText({ round, rounds, deal, deals, place, places, ends_at: ends }, now = Date.now()) {
  const minutes = ends ? Math.ceil((Date.parse(ends) - now) / 60_000) : 0;
  const parts = [
    place !== null && t("place {place}/{places}", { place, places }),
    deal !== null && t("deal {deal}/{deals}", { deal, deals }),
    round !== null && (rounds ? t("round {round}/{rounds}", { round, rounds }) : t("round {round}", { round })),
    minutes > 0 && t("{minutes} min left", { minutes }),
  ];
  const text = parts.filter(Boolean).join(BETWEEN);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * What is played here besides the heading, and for how much.
 *
 * @param {TableView} table
 * @param {View["me"]} me
 */
export function facts(table, me) {
  if (table.tournament) return standText(table.tournament);
  const book = bookTitle(table);
  // First, since on a phone the line is cut short at its end.
  const parts = me?.private_code ? [t("code {private_code}", { private_code: me.private_code })] : [];
  if (table.point_value) parts.push(t("{value} a point", { value: money(table.point_value, table.money) }));
  else if (table.entry) parts.push(t("entry {entry}", { entry: money(table.entry, table.money) }));
  if (isNamedByItsGame(table)) parts.push(...table.title.split(BETWEEN).filter((part) => part !== book));
  if (!table.title.includes(book)) parts.push(book);
  if (table.practice && !table.title.toLowerCase().includes(t("practice"))) parts.push(t("practice"));
  return parts.join(BETWEEN);
}

/**
 * What something costs: points, and what they are worth where they have a value.
 *
 * @param {number} points
 * @param {number} costs
 * @param {Pick<TableView, "money">} [table]
 */
export function price(points, costs, table) {
  const text = plural(points, "point");
  return costs > 0 && table ? `${text}, ${chips(costs, table.money)}` : text;
}

/**
 * What a drop costs: the points, and the match where they reach its limit.
 *
 * @type {(cost: string, eliminates: boolean | undefined) => string}
 */
export const dropQuestion = (cost, eliminates) =>
  eliminates
    ? t("You pay {points} and reach the limit. You are out of the match.", { points: cost })
    : t("You pay {points} and sit out the rest of this deal.", { points: cost });

/** @typedef {Pick<import("./types.js").MeView, "leave_points" | "leave_costs">} LeaveCosts */

/**
 * What leaving costs, from what the view says about it.
 *
 * @param {{table: Pick<TableView, "point_value" | "money" | "tournament">, phase: View["phase"], me: LeaveCosts | null}} view
 */
export function leaveText(view) {
  const { table, me } = view;
  if (!me) return t("You are only watching. Nothing is at stake.");
  if (table.tournament)
    return t("You leave the tournament, and are placed by what you have now. Your entry stays in it.");
  const costs = me.leave_costs;
  if (me.leave_points) {
    const match = table.point_value ? "" : t(" You are out of the match and your entry is not returned.");
    return t("Leaving now costs you {points}.{match}", {
      points: price(me.leave_points, table.point_value ? costs : 0, table),
      match,
    });
  }
  if (costs > 0) return t("Leaving now costs you {costs}.", { costs: chips(costs, table.money) });
  if (!table.point_value && !["waiting", "starting", "over"].includes(view.phase))
    return t("You give up the match. Your entry is not returned.");
  return t("Leaving costs you nothing now. Your chips go back to your balance.");
}

/**
 * What whoever comes back after an outage of the platform reads.
 *
 * @param {number} ms
 * @param {boolean} clock whether one runs
 */
export function backAgain(ms, clock) {
  const away = plural(Math.max(1, Math.round(ms / 1000)), "second");
  const safe = clock ? t("Your cards are safe, and the clock got that time back.") : t("Your cards are safe.");
  return t("The platform was away for {away}. {safe}", { away, safe });
}

export const KEYS = [
  ["← →", t("move among your cards")],
  ["Home, End", t("to the first card, to the last")],
  ["Space", t("select or release the card")],
  ["G", t("group the selected cards, or open a group again")],
  ["Shift + ← →", t("move the card to the group beside it")],
  ["L", t("lay the selected cards loose")],
  ["C", t("draw from the closed deck")],
  ["O", t("draw from the open pile")],
  ["D", t("discard the card")],
  ["F", t("finish with the card; show, where that is allowed before drawing")],
  ["S", t("sort the hand, once a deal")],
  ["Z", t("lay the cards as before the last change")],
  ["X", t("drop")],
  ["M", t("meld the selected cards; with none selected, all groups")],
  ["Enter", t("submit or continue, on its button")],
  ["P", t("discards by player")],
  ["Esc", t("take back a card just tapped twice, release all, close what is open")],
  ["?", t("this list")],
];

export const REMATCH = t("Play again together");
