// The drawer with the discards of the deal, by player, in the order in which they were thrown.

import { byId, el, icon } from "../dom.js";
import { plural } from "../words.js";
import { cardBack, cardFace } from "./cards.js";

export function toggleDiscards(store) {
  const drawer = byId("drawer");
  drawer.hidden = !drawer.hidden;
  byId("tool-discards").setAttribute("aria-expanded", String(!drawer.hidden));
  if (drawer.hidden) return void byId("tool-discards").focus();
  drawer.dataset.signature = "";
  renderDiscards(store);
  drawer.querySelector("button").focus();
}

export function renderDiscards(store) {
  const drawer = byId("drawer");
  if (drawer.hidden || !store.view) return;
  const { deal } = store.view;
  const signature = JSON.stringify([deal?.discards, store.view.seats.map((seat) => seat.name)]);
  if (drawer.dataset.signature === signature) return;
  drawer.dataset.signature = signature;
  contents(drawer, store).replaceChildren(...lists(store, deal));
}

// What lies under the header. The header stays as it is: a cross that is drawn anew under the finger cannot be pressed.
function contents(drawer, store) {
  if (!drawer.firstElementChild) {
    const cross = el(
      "button",
      { class: "tool", type: "button", "aria-label": "Close", onclick: () => toggleDiscards(store) },
      icon("close"),
    );
    drawer.replaceChildren(el("header", {}, el("h2", { text: "Discards" }), cross), el("div"));
  }
  return drawer.lastElementChild;
}

function lists(store, deal) {
  const entries = deal?.discards ?? [];
  if (store.view.table.family === "blind")
    return [
      el("p", {
        class: "fine",
        text: `Discards lie face down in this game: nobody may look at them. ${plural(entries.length, "card")} so far.`,
      }),
    ];
  if (entries.length === 0) return [el("p", { class: "fine", text: "Nothing has been discarded in this deal." })];
  const owners = [null, ...store.view.seats.map((seat) => seat.seat)];
  return owners
    .map((owner) =>
      list(
        store,
        deal,
        owner,
        entries.filter((one) => (one.seat ?? null) === owner),
      ),
    )
    .filter(Boolean);
}

function list(store, deal, owner, entries) {
  if (entries.length === 0) return null;
  const name =
    owner === null ? "Upcard" : owner === store.me?.seat ? "You" : (store.seat(owner)?.name ?? `Seat ${owner + 1}`);
  return el(
    "section",
    {},
    el("h3", {}, name, el("small", { text: plural(entries.length, "card") })),
    el("div", { class: "drawer-cards mini" }, ...entries.map((one) => discarded(store, deal, one))),
  );
}

function discarded(store, deal, one) {
  const picked = one.picked_by !== null && one.picked_by !== undefined;
  const face = one.card ? cardFace(one.card, { wildRank: deal.wild_rank }) : cardBack();
  if (!picked) return face;
  const by =
    one.picked_by === store.me?.seat ? "you" : (store.seat(one.picked_by)?.name ?? `seat ${one.picked_by + 1}`);
  face.classList.add("is-picked");
  return el("span", { class: "picked", title: `Picked up by ${by}` }, face, el("small", { text: `↑ ${by}` }));
}
