// The players around the table, and one's own seat in the strip.

import { byId, el, icon, keyed, setAttr, setText, svg } from "../dom.js";
import { cardName } from "../model/cards.js";
import { seatPlaces } from "../model/places.js";
import { mode } from "../modes.js";
import { chips, money, plural, STATUSES } from "../words.js";
import { cardFace } from "./cards.js";

export function renderSeats(store) {
  const { view, me } = store;
  const numbers = view.seats.map((seat) => seat.seat);
  const places = seatPlaces(numbers, me?.seat ?? null, mode());
  keyed(
    byId("seats"),
    places,
    (place) => place.seat,
    () => build("li", "seat"),
    (node, place) => {
      node.style.left = `${place.x}%`;
      node.style.top = place.y === null ? "auto" : `calc(${place.y}% + 7px)`;
      node.style.bottom = place.y === null ? "6px" : "auto";
      fill(node, store.seat(place.seat), store);
      part(node, "toss-card").classList.toggle("is-inward", place.x > 60);
    },
  );
  const own = byId("own-seat");
  own.hidden = !me;
  if (!own.firstChild) own.append(...build("div", "").children);
  if (me) fill(own, store.seat(me.seat), store, true);
}

/** The node of a seat, for flights to and from it. */
export function seatNode(store, number) {
  if (number === store.me?.seat) return byId("own-seat").querySelector(".avatar");
  return byId("seats").querySelector(`[data-key="${number}"] .avatar`);
}

function build(tag, name) {
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
    el("span", { class: "seat-bot", text: "BOT", title: "Computer player" }),
    el("span", { class: "seat-cards" }),
    el("span", { class: "seat-dealer", text: "D", title: "Dealer" }),
    el("span", { class: "seat-offline", title: "Not connected" }, icon("offline")),
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

const part = (node, name) => node.querySelector(`.${name}`);

function fill(node, seat, store, own = false) {
  const { view } = store;
  const empty = seat.status === "empty" || !seat.name;
  const base = own ? "own-seat" : "seat";
  const turn = view.deal?.turn_seat === seat.seat && view.phase === "playing";
  node.className = `${base} is-${empty ? "empty" : seat.status}${turn ? " is-turn" : ""}`;
  node.dataset.seat = String(seat.seat);
  part(node, "avatar").className = `avatar tone-${seat.seat % 6}`;
  setText(part(node, "initial"), empty ? "+" : seat.name.trim().slice(0, 1).toUpperCase());
  setText(part(node, "name"), empty ? "Free seat" : seat.name);
  setAttr(part(node, "name"), "title", empty ? null : seat.name);
  part(node, "seat-bot").hidden = empty || !seat.bot;
  part(node, "seat-offline").hidden = empty || seat.connected !== false;
  part(node, "seat-dealer").hidden =
    empty || view.deal?.dealer_seat !== seat.seat || ["waiting", "starting"].includes(view.phase);
  cardCount(part(node, "seat-cards"), seat, empty || !["playing", "melding"].includes(view.phase));
  standing(part(node, "seat-chips"), seat, view, empty);
  note(part(node, "seat-note"), seat, view, empty);
  tossCard(part(node, "toss-card"), seat, view);
  setAttr(node, "aria-label", empty ? "Free seat" : spoken(seat, view, own));
}

function cardCount(node, seat, none) {
  node.hidden = none || !seat.cards;
  setText(node, String(seat.cards ?? ""));
  setAttr(node, "title", plural(seat.cards ?? 0, "card"));
}

/** Chips where chips are played for; points where a match is counted. */
function standing(node, seat, view, empty) {
  const drops = ["out", "left"].includes(seat.status) ? null : (seat.drops_left ?? null);
  const text = empty ? "" : view.table.point_value ? money(seat.stack ?? 0, view.table.money) : String(seat.total ?? 0);
  const more = empty || view.table.point_value || drops === null ? "" : ` · ${plural(drops, "drop")}`;
  const unit = empty || view.table.point_value ? "" : " pts";
  if (node.dataset.said === text + more) return;
  node.dataset.said = text + more;
  node.replaceChildren(text, el("span", { class: "unit", text: unit }), more);
}

function note(node, seat, view, empty) {
  let text = "";
  let tone = "";
  if (empty) text = "";
  else if (["dropped", "left", "out", "wrong"].includes(seat.status))
    [text, tone] = [STATUSES[seat.status], seat.status === "dropped" ? "" : "is-bad"];
  else if (seat.status === "submitted" && view.phase === "melding") [text, tone] = ["Submitted", "is-good"];
  else if (view.phase === "melding" && view.melding_by === seat.seat) [text, tone] = ["Showing", "is-good"];
  else if (seat.misses) text = `Missed ${seat.misses} of 3`;
  else if (seat.auto) text = `Auto play ${seat.auto}`;
  else if (seat.status === "waiting" && !["waiting", "starting"].includes(view.phase)) text = "Next deal";
  else if (seat.rejoins) text = `Rejoined ${seat.rejoins}×`;
  setText(node, text);
  node.className = `seat-note ${tone}`;
}

/** A toss is shown until the first card is drawn. */
function tossCard(node, seat, view) {
  const toss = view.phase === "playing" && view.deal?.turn_number === 1 ? view.deal.toss : null;
  const mine = toss?.find((one) => one.seat === seat.seat)?.card ?? null;
  node.hidden = !mine;
  if (mine && node.dataset.card !== mine) node.replaceChildren(cardFace(mine));
  if (mine) {
    node.dataset.card = mine;
    node.title = `Toss: ${cardName(mine)}`;
  }
  node.classList.toggle("mini", true);
}

function spoken(seat, view, own) {
  const words = [own ? "You" : seat.name];
  if (seat.bot) words.push("computer player");
  words.push(view.table.point_value ? `${chips(seat.stack ?? 0, view.table.money)}` : plural(seat.total ?? 0, "point"));
  if (seat.cards) words.push(plural(seat.cards, "card"));
  if (view.deal?.dealer_seat === seat.seat) words.push("dealer");
  if (STATUSES[seat.status]) words.push(STATUSES[seat.status]);
  if (seat.connected === false) words.push("not connected");
  if (view.deal?.turn_seat === seat.seat) words.push("to play");
  return words.join(", ");
}
