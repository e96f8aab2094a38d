// @ts-check
// The players around the table, and one's own seat in the strip.

import { cardFace } from "../../shared/card_faces.js";
import { cardName } from "../../shared/cards.js";
import { byId, drawnOnce, el, icon, keyed, pageData, setAttr, setText, svg } from "../../shared/dom.js";
import { t } from "../../shared/language.js";
import { find } from "../../shared/query.js";
import { chips, money, moneyInShort, plural, STATUSES, totalText } from "../../shared/words.js";
import { mode } from "../layout_modes.js";
import { seatPlaces } from "../model/places.js";

/** @import { Shown } from "../model/state.js" */
/** @import { ShownTable } from "../model/table.js" */
/** @import { SeatView, View } from "../../shared/types.js" */

/** @type {(store: Shown, actions: import("../input/actions.js").Actions) => void} */
export function renderSeats(store, actions) {
  const { view, me } = store.table;
  const numbers = view.seats.map((seat) => seat.seat);
  const places = seatPlaces(numbers, me?.seat ?? null, mode());
  keyed(
    byId("seats"),
    places,
    (place) => place.seat,
    () => build("li", "seat"),
    (node, place) => {
      node.style.left = `clamp(var(--seat-w) / 2, ${place.x}%, 100% - var(--seat-w) / 2)`;
      node.style.top = place.y === null ? "auto" : `calc(${place.y}% + var(--seat-edge, 7px))`;
      node.style.bottom = place.y === null ? "6px" : "auto";
      fill(node, view.seats[place.seat], view);
      part(node, "toss-card").classList.toggle("is-inward", place.x > 60);
      const take = part(node, "seat-take");
      take.hidden = !mayTake(store, place.seat);
      take.onclick = () => actions.takeFreeSeat(place.seat);
    },
  );
  const own = byId("own-seat");
  own.hidden = !me;
  if (!own.firstChild) own.append(...build("div", "").children);
  if (me) fill(own, view.seats[me.seat], view, true);
}

/** @type {(store: Shown, seat: number) => boolean} Whether the reader has no seat and may take this one. */
const mayTake = ({ table: { view, me }, own }, seat) =>
  !me && !view.table.practice && view.free_seats.includes(seat) && Boolean(own.seatedOut || pageData("sit"));

/**
 * The node of a seat, for flights to and from it.
 *
 * @param {ShownTable} table
 * @param {number | undefined} number
 */
export function seatNode(table, number) {
  if (number === table.me?.seat) return find(byId("own-seat"), ".avatar");
  return find(byId("seats"), `[data-key="${number}"] .avatar`);
}

const SIT_HERE = t("Sit down here");

/** @type {(tag: "li" | "div", name: string) => HTMLElement} */
function build(tag, name) {
  /** @type {(type: string) => SVGElement} */
  const circle = (type) => svg("circle", { class: type, cx: 50, cy: 50, r: 45, pathLength: 100 });
  const ring = svg(
    "svg",
    { class: "ring", viewBox: "0 0 100 100", "aria-hidden": "true" },
    circle("ring-track"),
    circle("ring-run"),
  );
  const avatar = el(
    "div",
    { class: "avatar" },
    el("span", { class: "initial", "aria-hidden": "true" }),
    ring,
    el("span", { class: "ring-seconds", "aria-hidden": "true" }),
    el("span", { class: "seat-bot", text: t("BOT"), title: t("Computer player") }),
    el("span", { class: "seat-cards" }),
    el("span", { class: "seat-dealer", text: "D", title: t("Dealer") }),
    el("button", { class: "seat-take", type: "button", hidden: true, "aria-label": SIT_HERE, title: SIT_HERE }),
    el("span", { class: "seat-offline", title: t("Not connected") }, icon("offline")),
  );
  const title = el("div", { class: "seat-name" }, el("span", { class: "name" }));
  const plate = el("div", { class: "plate" }, title, el("div", { class: "seat-chips" }));
  return el(
    tag,
    { class: name },
    avatar,
    plate,
    el("p", { class: "seat-note" }),
    el("span", { class: "toss-card", hidden: true }),
  );
}

/** @type {(node: HTMLElement, name: string) => HTMLElement} */
const part = (node, name) => find(node, `.${name}`);

/** @type {(node: HTMLElement, seat: SeatView, view: View, own?: boolean) => void} */
function fill(node, seat, view, own = false) {
  node.dataset.seat = String(seat.seat);
  part(node, "avatar").className = `avatar tone-${seat.seat % 6}`;
  const base = own ? "own-seat" : "seat";
  const taken = seat.status !== "empty" && seat.name !== null;
  const turn = view.deal?.turn_seat === seat.seat && view.phase === "playing";
  node.className = `${base} is-${taken ? seat.status : "empty"}${turn ? " is-turn" : ""}`;
  if (taken) fillTaken(node, seat, view);
  else fillEmpty(node);
  tossCard(part(node, "toss-card"), seat, view);
  setAttr(node, "aria-label", taken ? spoken(seat, view, own) : t("Free seat"));
}

/** @param {HTMLElement} node */
function fillEmpty(node) {
  setText(part(node, "initial"), "+");
  setText(part(node, "name"), t("Free seat"));
  setAttr(part(node, "name"), "title", null);
  for (const name of ["seat-bot", "seat-offline", "seat-dealer", "seat-cards"]) part(node, name).hidden = true;
  show(part(node, "seat-chips"), "", "", "");
  setText(part(node, "seat-note"), "");
}

/** @type {(node: HTMLElement, seat: SeatView, view: View) => void} */
function fillTaken(node, seat, view) {
  const name = seat.name ?? "";
  setText(part(node, "initial"), name.trim().slice(0, 1).toUpperCase());
  setText(part(node, "name"), name);
  setAttr(part(node, "name"), "title", name);
  part(node, "seat-bot").hidden = !seat.bot;
  part(node, "seat-offline").hidden = seat.connected;
  part(node, "seat-dealer").hidden = view.deal?.dealer_seat !== seat.seat || beforeDeal(view);
  cardCount(part(node, "seat-cards"), seat, view);
  standing(part(node, "seat-chips"), seat, view);
  const [text, tone] = note(seat, view);
  setText(part(node, "seat-note"), text);
  part(node, "seat-note").className = `seat-note ${tone}`;
}

/** @type {(view: View) => boolean} */
const beforeDeal = (view) => view.phase === "waiting" || view.phase === "starting";

/** @type {(node: HTMLElement, seat: SeatView, view: View) => void} */
function cardCount(node, seat, view) {
  node.hidden = seat.cards === 0 || !["playing", "melding"].includes(view.phase);
  setText(node, String(seat.cards));
  setAttr(node, "title", plural(seat.cards, "card"));
}

/**
 * Chips where chips are played for; points or chips of the match where one is counted.
 *
 * @type {(node: HTMLElement, seat: SeatView, view: View) => void}
 */
function standing(node, seat, { table }) {
  const written = mode() === "wide" ? money : moneyInShort;
  if (table.point_value) return void show(node, written(seat.stack, table.money), "", "");
  const counted = seat.drops_left !== null && seat.status !== "out" && seat.status !== "left";
  const unit = table.chips_a_deal ? t(" chips") : t(" pts");
  show(node, String(seat.total ?? 0), unit, counted ? ` · ${plural(seat.drops_left ?? 0, "drop")}` : "");
}

/** @type {(node: HTMLElement, text: string, unit: string, more: string) => void} */
function show(node, ...parts) {
  drawnOnce(node, parts, ([text, unit, more]) =>
    node.replaceChildren(text, el("span", { class: "unit", text: unit }), el("span", { class: "more", text: more })),
  );
}

/**
 * [what stands below the seat, how it looks].
 *
 * @type {(seat: SeatView, view: View) => [string, string]}
 */
function note(seat, view) {
  const melding = view.phase === "melding";
  if (seat.status === "dropped") return [t("Dropped"), ""];
  if (seat.status === "left" || seat.status === "out" || seat.status === "wrong") {
    return [STATUSES[seat.status] ?? "", "is-bad"];
  }
  if (melding && seat.status === "submitted") return [t("Submitted"), "is-good"];
  if (melding && view.melding_by === seat.seat) return [t("Showing"), "is-good"];
  if (seat.misses) return [t("Missed {misses} of 3", { misses: seat.misses }), ""];
  if (seat.auto) return [t("Auto play {auto}", { auto: seat.auto }), ""];
  if (seat.status === "waiting" && !beforeDeal(view)) return [t("Next deal"), ""];
  return [seat.rejoins ? t("Rejoined {rejoins}×", { rejoins: seat.rejoins }) : "", ""];
}

/**
 * A toss is shown until the first card is drawn.
 *
 * @type {(node: HTMLElement, seat: SeatView, view: View) => void}
 */
function tossCard(node, seat, view) {
  const toss = view.phase === "playing" && view.deal?.turn_number === 1 ? view.deal.toss : null;
  const mine = toss?.find((one) => one.seat === seat.seat)?.card ?? null;
  node.hidden = !mine;
  if (mine) drawnOnce(node, mine, (card) => node.replaceChildren(cardFace(card)));
  if (mine) node.title = t("Toss: {card}", { card: cardName(mine) });
  node.classList.toggle("mini", true);
}

/** @type {(seat: SeatView, view: View, own: boolean) => string} */
function spoken(seat, view, own) {
  const { deal, table } = view;
  const words = [
    own ? t("You") : seat.name,
    seat.bot && t("computer player"),
    table.point_value ? chips(seat.stack, table.money) : totalText(seat.total, table),
    seat.cards > 0 && plural(seat.cards, "card"),
    deal?.dealer_seat === seat.seat && t("dealer"),
    STATUSES[seat.status],
    !seat.connected && t("not connected"),
    deal?.turn_seat === seat.seat && t("to play"),
  ];
  return words.filter(Boolean).join(", ");
}
