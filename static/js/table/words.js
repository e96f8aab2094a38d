// @ts-check
// Every sentence the page says by itself. What the server says is shown as it comes.

/** @typedef {import("./types.js").CurrencyView} Unit */
/** @typedef {import("./types.js").TableView} TableView */
/** @typedef {import("./types.js").View} View */

/**
 * An amount as the table's money is written: `table.money` of the view.
 *
 * @param {number} amount
 * @param {Pick<Unit, "digits" | "sign">} unit
 */
export function money(amount, { digits, sign }) {
  const whole = Math.abs(amount) / 10 ** digits;
  const shown = whole.toLocaleString("en-IN", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${amount < 0 ? "−" : ""}${sign}${shown}`;
}

/**
 * The amount with its unit: "1,500 chips", "₹15.00".
 *
 * @param {number} amount
 * @param {Unit} unit
 */
export function chips(amount, unit) {
  const noun = unit.noun && ` ${unit.noun}${amount === 1 ? "" : "s"}`;
  return `${money(amount, unit)}${noun}`;
}

/**
 * What was won or lost: with its sign.
 *
 * @param {number} amount
 * @param {Unit} unit
 */
export function signed(amount, unit) {
  return amount > 0 ? `+${money(amount, unit)}` : money(amount, unit);
}

/** @type {(count: number, one: string, many?: string) => string} */
export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** @type {(view: View) => string} */
export const continueText = (view) => (view.table.practice ? "Play again" : "Continue");

/** @type {Record<import("./model/calls.js").Call, string>} */
export const CALLS = {
  turn: "Your turn",
  submit: "Submit your hand",
  answer: "Your answer is awaited",
  continue: "Continue to keep your seat",
  start: "The deal begins",
};

/** @type {Record<import("./types.js").Kind, string>} */
export const KINDS = { pure: "Pure sequence", impure: "Sequence", set: "Set", jokers: "Jokers", invalid: "Not yet" };

/**
 * What a group of the hand is called by those who do not see it.
 *
 * @param {number | "loose"} key
 * @param {import("./model/arrangement.js").Verdict | null | undefined} verdict
 */
export function groupName(key, verdict) {
  if (key === "loose") return "Loose cards";
  const name = `Group ${key + 1}: ${verdict?.kind ? KINDS[verdict.kind] : "being judged"}`;
  return verdict?.reason ? `${name}. ${verdict.reason}` : name;
}

/** @type {Record<import("./types.js").Outcome, string>} */
export const OUTCOMES = { won: "Winner", lost: "Lost", dropped: "Dropped", wrong: "Wrong show", left: "Left" };

/** @type {Partial<Record<import("./types.js").SeatStatus, string>>} */
export const STATUSES = {
  dropped: "Dropped",
  wrong: "Wrong show",
  left: "Left",
  out: "Out",
  submitted: "Submitted",
  waiting: "Next deal",
};

/** @param {Pick<TableView, "book" | "book_title">} table */
export function bookTitle(table) {
  if (table.book_title) return table.book_title;
  const text = table.book.replaceAll("-", " ");
  return text[0].toUpperCase() + text.slice(1);
}

/**
 * What is played here, and for how much.
 *
 * @param {TableView} table
 * @param {View["me"]} me
 */
export function facts(table, me) {
  const book = bookTitle(table);
  const parts = [];
  if (table.point_value) parts.push(`${money(table.point_value, table.money)} a point`);
  else if (table.entry) parts.push(`entry ${money(table.entry, table.money)}`);
  if (!table.title.includes(book)) parts.push(book);
  if (table.practice && !table.title.toLowerCase().includes("practice")) parts.push("practice");
  if (me?.private_code) parts.push(`code ${me.private_code}`);
  return parts.join(" · ");
}

/** @type {(points: number) => string} */
export const dropQuestion = (points) => `You pay ${plural(points, "point")} and sit out the rest of this deal.`;

/** @typedef {Pick<import("./types.js").MeView, "leave_points" | "leave_costs">} LeaveCosts */

/**
 * What leaving costs, from what the view says about it.
 *
 * @param {{table: Pick<TableView, "point_value" | "money">, phase: View["phase"], me: LeaveCosts | null}} view
 */
export function leaveText(view) {
  const { table, me } = view;
  if (!me) return "You are only watching. Nothing is at stake.";
  const costs = me.leave_costs;
  if (me.leave_points) {
    const price = table.point_value ? `, ${chips(costs, table.money)}` : "";
    const match = table.point_value ? "" : " You are out of the match and your entry is not returned.";
    return `Leaving now costs you ${plural(me.leave_points, "point")}${price}.${match}`;
  }
  if (costs > 0) return `Leaving now costs you ${chips(costs, table.money)}.`;
  if (!table.point_value && !["waiting", "starting", "over"].includes(view.phase))
    return "You give up the match. Your entry is not returned.";
  return "Leaving costs you nothing now. Your chips go back to your balance.";
}

/**
 * What whoever comes back after an outage of the platform reads.
 *
 * @param {number} ms
 * @param {boolean} clock whether one runs
 */
export function backAgain(ms, clock) {
  const away = plural(Math.max(1, Math.round(ms / 1000)), "second");
  const safe = clock ? "Your cards are safe, and the clock got that time back." : "Your cards are safe.";
  return `The platform was away for ${away}. ${safe}`;
}

export const KEYS = [
  ["← →", "move among your cards"],
  ["Space", "select or release the card"],
  ["G", "group the selected cards, or open a group again"],
  ["Shift + ← →", "move the card to the group beside it"],
  ["L", "lay the selected cards loose"],
  ["C", "draw from the closed deck"],
  ["O", "draw from the open pile"],
  ["D", "discard the card"],
  ["F", "finish with the card; show, where that is allowed before drawing"],
  ["S", "sort the hand, once a deal"],
  ["Z", "lay the cards as before the last change"],
  ["X", "drop"],
  ["M", "meld the selected cards; with none selected, all groups"],
  ["Enter", "submit or continue, on its button"],
  ["P", "discards by player"],
  ["Esc", "take back a card just tapped twice, release all, close what is open"],
  ["?", "this list"],
];

export const REMATCH = "Play again together";
