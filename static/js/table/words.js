// Every sentence the page says by itself. What the server says is shown as it comes.

import { cardName } from "./model/cards.js";

/** Units of a currency's smallest part in one whole, and how it is written. */
const CURRENCIES = { FUN: { digits: 0, sign: "" }, INR: { digits: 2, sign: "₹" } };

export function money(amount, currency) {
  const { digits, sign } = CURRENCIES[currency] ?? { digits: 0, sign: `${currency} ` };
  const whole = Math.abs(amount) / 10 ** digits;
  const shown = whole.toLocaleString("en-IN", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${amount < 0 ? "−" : ""}${sign}${shown}`;
}

export const chips = (amount, currency) =>
  currency === "FUN" ? `${money(amount, currency)} chips` : money(amount, currency);

export function signed(amount, currency) {
  return amount > 0 ? `+${money(amount, currency)}` : money(amount, currency);
}

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

export const continueText = (view) => (view.table.practice ? "Play again" : "Continue");

export const KINDS = { pure: "Pure sequence", impure: "Sequence", set: "Set", jokers: "Jokers", invalid: "Not yet" };

export const OUTCOMES = { won: "Winner", lost: "Lost", dropped: "Dropped", wrong: "Wrong show", left: "Left" };

export const STATUSES = {
  dropped: "Dropped",
  wrong: "Wrong show",
  left: "Left",
  out: "Out",
  submitted: "Submitted",
  waiting: "Next deal",
};

export function bookTitle(table) {
  if (table.book_title) return table.book_title;
  const text = table.book.replaceAll("-", " ");
  return text[0].toUpperCase() + text.slice(1);
}

export function facts(table, me) {
  const book = bookTitle(table);
  const parts = [];
  if (table.point_value) parts.push(`${money(table.point_value, table.currency)} a point`);
  else if (table.entry) parts.push(`entry ${money(table.entry, table.currency)}`);
  if (!(table.title ?? "").includes(book)) parts.push(book);
  if (table.practice && !(table.title ?? "").toLowerCase().includes("practice")) parts.push("practice");
  if (me?.private_code) parts.push(`code ${me.private_code}`);
  return parts.join(" · ");
}

/** What happened, in a line; null for events that need no line. `who(seat)` names a player ("You" for oneself). */
export function eventLine(event, who, wildRank) {
  const name = event.seat === undefined || event.seat === null ? "" : who(event.seat);
  const you = name === "You";
  const byTable = event.by === "platform" ? " (time was up)" : "";
  const lines = {
    turn_began: () => (you ? "Your turn. Draw a card." : `${name} to play.`),
    extra_time_began: () => (you ? "Your extra time is running." : null),
    card_drawn: () => drew(event, name, wildRank) + byTable,
    card_discarded: () =>
      (event.card ? `${name} discarded the ${cardName(event.card, wildRank)}` : `${name} discarded face down`) +
      byTable,
    turn_auto_played: () => `${name} ${you ? "were" : "was"} played for: time was up.`,
    player_dropped: () => `${name} dropped${event.points ? `, ${event.points} points` : ""}${byTable}.`,
    player_left: () => `${name} left the table.`,
    seat_taken: () => `${name} sat down.`,
    seat_left: () => `${name} got up.`,
    match_started: () => "The match begins.",
    cards_dealt: () => "Cards are dealt.",
    cut_joker_turned: () => (event.card ? `The cut joker is the ${cardName(event.card)}.` : null),
    finish_placed: () =>
      event.card === null
        ? `${name} ${you ? "show" : "shows"} without drawing.`
        : `${name} placed a card in the finish slot.`,
    show_accepted: () => `${name} made a valid show.`,
    show_refused: () => `${name} made a wrong show: ${event.points} points.`,
    hand_submitted: () => `${name} submitted.`,
    closed_deck_reshuffled: () => "The discards were shuffled into a new closed deck.",
    deal_voided: () => "The deal is void: nothing was left to draw. A new deal follows.",
    player_eliminated: () => `${name} ${you ? "are" : "is"} out with ${event.total} points.`,
    player_rejoined: () => `${name} rejoined with ${event.total} points.`,
    rejoin_declined: () => `${name} did not rejoin.`,
    split_offered: () => `${name} offered to split the prize.`,
    split_answered: () => `${name} ${event.accept ? "accepted" : "refused"} the split.`,
    split_ended: () => (event.agreed ? "The prize is split." : "The split was not agreed."),
    match_cancelled: () => "The match was cancelled and everything refunded.",
    clock_credited: () => "Play goes on after an interruption; the clock got extra time.",
  };
  return lines[event.type]?.() ?? null;
}

function drew(event, name, wildRank) {
  if (event.pile === "open") return `${name} took the ${event.card ? cardName(event.card, wildRank) : "top discard"}`;
  return event.card ? `${name} drew the ${cardName(event.card, wildRank)}` : `${name} drew from the closed deck`;
}

export const dropQuestion = (points) => `You pay ${plural(points, "point")} and sit out the rest of this deal.`;

/** What leaving costs, from what the view says about it. */
export function leaveText(view) {
  const { table, me } = view;
  if (!me) return "You are only watching. Nothing is at stake.";
  const costs = me.leave_costs ?? null;
  if (typeof costs === "string") return costs;
  if (me.leave_points) {
    const price = table.point_value ? `, ${chips(costs, table.currency)}` : "";
    const match = table.point_value ? "" : " You are out of the match and your entry is not returned.";
    return `Leaving now costs you ${plural(me.leave_points, "point")}${price}.${match}`;
  }
  if (typeof costs === "number" && costs > 0) return `Leaving now costs you ${chips(costs, table.currency)}.`;
  if (!table.point_value && !["waiting", "starting", "over"].includes(view.phase))
    return "You give up the match. Your entry is not returned.";
  return "Leaving costs you nothing now. Your chips go back to your balance.";
}

/** What whoever comes back after an outage of the platform reads. */
export function backAgain(ms) {
  const away = plural(Math.max(1, Math.round(ms / 1000)), "second");
  return `The platform was away for ${away}. Your cards are safe, and the clock got that time back.`;
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
  ["X", "drop"],
  ["M", "meld the selected cards; with none selected, all groups"],
  ["Enter", "submit or continue, on its button"],
  ["P", "discards by player"],
  ["Esc", "release all, close what is open"],
  ["?", "this list"],
];
