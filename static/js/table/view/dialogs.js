// Questions and small windows, as native dialogs: focus is kept and given back by the browser.

import { el, icon } from "../dom.js";
import { verdictOn } from "../model/arrangement.js";
import { cardName } from "../model/cards.js";
import { change, settings } from "../settings.js";
import { chips, dropQuestion, KEYS, KINDS, leaveText, plural } from "../words.js";
import { cardFace } from "./cards.js";

let openNow = null;

/** A window with a title; resolves to the value of the button that closed it ("" for Esc or the cross). */
export function show(title, body, buttons = [], { name = "" } = {}) {
  openNow?.close("");
  const heading = el("h2", { text: title, id: "dialog-title" });
  const cross = el(
    "button",
    { class: "tool dialog-cross", type: "button", "aria-label": "Close", onclick: () => dialog.close("") },
    icon("close"),
  );
  const row = buttons.map((one) =>
    el("button", {
      class: `act ${one.class ?? ""}`,
      type: "button",
      autofocus: one.focus,
      text: one.text,
      onclick: () => dialog.close(one.value),
    }),
  );
  const dialog = el(
    "dialog",
    { class: `window ${name}`, "aria-labelledby": "dialog-title" },
    el("header", {}, heading, cross),
    el("div", { class: "window-body" }, ...body),
    row.length > 0 ? el("footer", {}, ...row) : null,
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close(""));
  document.body.append(dialog);
  openNow = dialog;
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      if (openNow === dialog) openNow = null;
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

export const isOpen = () => openNow !== null;

/** Closes a question whose moment has passed. */
export function closeQuestion(name) {
  if (openNow?.classList.contains(name)) openNow.close("");
}

const p = (text, name = "") => el("p", { text, class: name });

export async function confirmDrop(points) {
  const buttons = [
    { text: "Keep playing", value: "" },
    { text: points ? `Drop for ${points}` : "Drop", value: "yes", class: "is-grave", focus: true },
  ];
  return (await show("Drop this deal?", [p(dropQuestion(points ?? 0))], buttons, { name: "turn-question" })) === "yes";
}

export async function confirmFinish(store, card) {
  const { me, arrangement } = store;
  const wildRank = store.view.deal.wild_rank;
  const groups = arrangement.groups
    .map((group) => ({ cards: group.cards.filter((one) => one !== card), before: group.cards }))
    .filter((group) => group.cards.length > 0);
  const loose = arrangement.loose.filter((one) => one !== card);
  const rows = groups.map(({ cards, before }) => {
    const kind = cards.length === before.length ? verdictOn(me, cards)?.kind : null;
    return el(
      "li",
      { class: `show-group is-${kind ?? "open"}` },
      miniCards(cards, wildRank),
      el("span", { text: KINDS[kind] ?? "judged when you submit" }),
    );
  });
  if (loose.length > 0)
    rows.push(el("li", { class: "show-group is-invalid" }, miniCards(loose, wildRank), el("span", { text: "loose" })));
  const body = [
    el(
      "div",
      { class: "finish-line" },
      cardFace(card, { wildRank }),
      p(
        `The ${cardName(card, wildRank)} goes to the finish slot. You then show your other 13 cards; you may still rearrange them before you submit.`,
      ),
    ),
    el("ul", { class: "show-groups" }, ...rows),
    showVerdict(me.fault_without?.[card], me.wrong_show_points),
  ];
  const buttons = [
    { text: "Not yet", value: "", focus: true },
    { text: "Finish", value: "yes", class: me.fault_without?.[card] ? "is-grave" : "is-main" },
  ];
  return (await show("Finish with this card?", body, buttons, { name: "turn-question" })) === "yes";
}

/** Before drawing, in books that allow it. What lies there is judged by the server. */
export async function confirmShow(store) {
  const body = [
    p(
      "You show all 13 cards without drawing, and no card goes to the finish slot. You may still rearrange them before you submit.",
    ),
    showVerdict(store.me.fault, store.me.wrong_show_points),
  ];
  const buttons = [
    { text: "Not yet", value: "", focus: true },
    { text: "Show", value: "yes", class: store.me.fault ? "is-grave" : "is-main" },
  ];
  return (await show("Show without drawing?", body, buttons, { name: "turn-question" })) === "yes";
}

/** What the server says of a show that lies like this: `fault` is null for a valid one, undefined if not known. */
function showVerdict(fault, points) {
  if (fault === null) return el("p", { class: "show-verdict is-valid", text: "As it lies this is a valid show ✓" });
  const price = `A wrong show costs you ${plural(points, "point")}.`;
  if (fault === undefined) return el("p", { class: "show-verdict", text: price });
  return el(
    "p",
    { class: "show-verdict is-wrong" },
    el("b", { text: "As it lies this is no valid show." }),
    ` ${fault} ${price}`,
  );
}

/** Asks only where something speaks against it: `groups` are in the boxes, `open` cards in no finished group. */
export async function confirmSubmit(store, groups, open) {
  const { me, view } = store;
  const declarer = view.melding_by === me.seat;
  const whole = groups.length === me.groups.length && groups.every((cards) => verdictOn(me, cards));
  const fault = whole ? me.fault : undefined;
  if (declarer ? fault === null : open.length === 0) return true;
  const some = `${plural(open.length, "card")} ${open.length === 1 ? "is" : "are"} in no finished group.`;
  const body = open.length > 0 ? [p(some), miniCards(open, view.deal.wild_rank)] : [];
  if (!whole) body.push(p("What lies in no box counts as loose."));
  if (declarer) body.push(showVerdict(fault, me.wrong_show_points));
  else
    body.push(
      p(
        whole
          ? `As it lies your hand counts ${plural(me.points, "point")}.`
          : "They will count against you unless the rules let them free.",
      ),
    );
  const buttons = [
    { text: "Arrange again", value: "" },
    { text: "Submit anyway", value: "yes", class: "is-grave" },
  ];
  return (await show("Submit like this?", body, buttons, { name: "meld-question" })) === "yes";
}

export function miniCards(cards, wildRank) {
  return el("span", { class: "mini-row mini" }, ...cards.map((card) => cardFace(card, { wildRank })));
}

export async function leaveDialog(store) {
  const buttons = [
    { text: "Stay", value: "", focus: true },
    { text: "Leave the table", value: "yes", class: "is-grave" },
  ];
  return (await show("Leave the table?", [p(leaveText(store.view))], buttons)) === "yes";
}

export async function chipsDialog(store, actions) {
  const { table } = store.view;
  const seat = store.seat(store.me.seat);
  const needed = table.minimum;
  const { digits } = table.money;
  const lacking = Math.max(needed - seat.stack, 0);
  const input = el("input", {
    type: "number",
    min: 1 / 10 ** digits,
    step: 1 / 10 ** digits,
    value: (lacking || needed) / 10 ** digits,
    id: "chips-amount",
    required: true,
    inputmode: "decimal",
  });
  const body = [
    p(`On the table: ${chips(seat.stack, table.money)}. A deal needs ${chips(needed, table.money)}.`),
    el("label", { for: "chips-amount", text: "Add from your balance" }),
    input,
  ];
  const done = await show("Add chips", body, [
    { text: "Not now", value: "" },
    { text: "Add", value: "yes", class: "is-main" },
  ]);
  const amount = Math.round(Number(input.value) * 10 ** digits);
  if (done === "yes" && amount > 0) actions.addChips(amount);
}

export function helpDialog() {
  const rows = KEYS.map(([key, text]) => el("div", {}, el("dt", {}, el("kbd", { text: key })), el("dd", { text })));
  return show("Keys", [el("dl", { class: "keys" }, ...rows)]);
}

export function fairDialog(store) {
  const deal = store.view.next_deal ?? store.view.deal;
  const body = [
    p(
      "Before the cards are dealt the table fixes its secret seed and shows its seal. Your browser and those of the other players add chance of their own. After the deal the seed is opened, and anyone who played can check the shoe against the seal.",
    ),
    el("label", { text: "Seal of this deal" }),
    el("code", { class: "seal", text: deal?.commitment ?? "Shown as soon as a deal is prepared." }),
  ];
  if (deal?.id) body.push(el("p", { class: "fine", text: `Deal ${deal.id}` }));
  return show("Fair deal", body);
}

/** The menu: everything that has no button of its own on a small screen. */
export async function menuDialog(store, actions, open) {
  const row = (name, text, run) =>
    el(
      "button",
      {
        class: "menu-row",
        type: "button",
        onclick: () => {
          openNow.close("");
          run();
        },
      },
      icon(name),
      el("span", { text }),
    );
  const toggle = (name, text, key) => {
    const box = el("input", {
      type: "checkbox",
      id: `set-${key}`,
      onchange: (event) => change(key, event.target.checked),
    });
    box.checked = settings[key];
    return el("label", { class: "menu-row", for: `set-${key}` }, icon(name), el("span", { text }), box);
  };
  const rows = [
    row("sheet", "Score sheet", open.sheet),
    row("last", "Last deal", open.last),
    row("discards", "Discards by player", open.discards),
    row("fair", "Fair deal", open.fair),
    row("rules", "Rules of this game", () => window.open(document.body.dataset.rules, "_blank", "noopener")),
    row("help", "Keys", helpDialog),
    store.can("add_chips") ? row("chip", "Add chips", () => chipsDialog(store, actions)) : null,
    toggle("sound", "Sounds", "sound"),
    toggle("colours", "Four-colour cards", "fourColours"),
    row("leave", store.me ? "Leave the table" : "Back to the lobby", () => actions.leave()),
  ];
  await show("Menu", [el("div", { class: "menu-rows" }, ...rows.filter(Boolean))], [], { name: "menu-window" });
}
