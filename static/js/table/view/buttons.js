// The row of moves. Every button is there or lit because the view's moves say so.

import { byId, el, keyed, setAttr, setText } from "../dom.js";
import { continueText, plural } from "../words.js";
import { chipsDialog } from "./dialogs.js";

export function renderButtons(store, actions) {
  const list = store.stopped ? [] : store.me ? buttonsFor(store, actions) : watching(store, actions);
  keyed(byId("actions"), list, (one) => one.id, build, update);
}

function build(one) {
  const node = el("button", { class: "act", type: "button", id: `act-${one.id}` }, el("span", {}), el("small", {}));
  node.addEventListener("click", () => node.run?.());
  return node;
}

function update(node, one) {
  node.run = one.run;
  node.disabled = Boolean(one.disabled);
  node.className = `act ${one.main ? "is-main" : ""} ${one.grave ? "is-grave" : ""} ${one.on ? "is-on" : ""} ${one.on === undefined ? "" : "is-switch"}`;
  setText(node.firstChild, one.text);
  setText(node.lastChild, one.small ?? "");
  node.lastChild.hidden = !one.small;
  setAttr(node, "aria-pressed", one.on === undefined ? null : String(one.on));
  setAttr(node, "aria-keyshortcuts", one.key ?? null);
  setAttr(node, "title", one.title ?? null);
}

function buttonsFor(store, actions) {
  const { phase } = store.view;
  if (phase === "melding" && store.can("submit")) return meldingButtons(store, actions);
  if (["playing", "melding"].includes(phase)) return store.me.hand.length > 0 ? playingButtons(store, actions) : [];
  return betweenButtons(store, actions);
}

function playingButtons(store, actions) {
  const selected = store.selected.size;
  const whole = actions.wholeGroupChosen;
  const one = selected === 1;
  return [
    {
      id: "sort",
      text: "Sort",
      key: "S",
      run: () => actions.sort(),
      disabled: !store.can("sort"),
      title: "Sort the hand by suits, once a deal",
    },
    {
      id: "group",
      text: whole ? "Ungroup" : "Group",
      key: "G",
      run: () => actions.group(),
      disabled: !store.can("arrange") || selected === 0,
    },
    dropButton(store, actions),
    {
      id: "finish",
      text: store.showsUndrawn ? "Show" : "Finish",
      key: "F",
      run: () => actions.finish(),
      disabled: !store.can("finish") || !(one || store.showsUndrawn) || actions.isAsking("finish"),
      title: store.showsUndrawn ? "Show all 13 cards without drawing" : null,
    },
    {
      id: "discard",
      text: "Discard",
      key: "D",
      main: store.can("discard") && one,
      run: () => actions.discard(),
      disabled: !store.can("discard") || !one || actions.isAsking("discard"),
    },
  ].filter(Boolean);
}

/** One place for both: drop now on one's own turn, or the switch that drops at the next one. */
function dropButton(store, actions) {
  const points = store.me.drop_points;
  if (store.can("drop")) {
    return {
      id: "drop",
      text: "Drop",
      small: points ? `${points} pts` : "",
      grave: true,
      key: "X",
      run: () => actions.drop(),
      title: points ? `Costs ${plural(points, "point")}` : null,
    };
  }
  if (!store.can("auto_drop")) return null;
  const on = Boolean(store.me.auto_drop);
  return {
    id: "auto-drop",
    text: "Auto-drop",
    small: on ? "on" : "off",
    on,
    run: () => actions.autoDrop(),
    title: "Drops at your next turn",
  };
}

function meldingButtons(store, actions) {
  const { groups, loose } = store.arrangement;
  const inHand = groups.some((group) => !group.melded);
  const inBoxes = groups.some((group) => group.melded);
  return [
    { id: "meld-all", text: "Meld all", run: () => actions.meldAll(), disabled: !inHand },
    { id: "meld", text: "Meld", key: "M", run: () => actions.meld(), disabled: store.selected.size === 0 },
    { id: "clear", text: "Clear", run: () => actions.clear(), disabled: !inBoxes },
    {
      id: "submit",
      text: "Submit",
      main: true,
      small: loose.length > 0 ? `${loose.length} loose` : "",
      run: () => actions.submit(),
      disabled: actions.isAsking("submit"),
    },
  ];
}

function betweenButtons(store, actions) {
  return [
    store.can("add_chips") && { id: "chips", text: "Add chips", run: () => chipsDialog(store, actions) },
    store.panelHidden && { id: "result", text: "Show result", run: () => store.showPanel() },
    store.can("leave") && { id: "leave", text: "Leave", run: () => actions.leave() },
    store.panelHidden &&
      store.can("continue") && {
        id: "continue",
        text: continueText(store.view),
        main: true,
        run: () => actions.continue(),
      },
  ].filter(Boolean);
}

function watching(store, actions) {
  if (store.view.table.practice)
    return [{ id: "again", text: "Play again", main: true, run: () => actions.playAgain() }];
  const free = store.view.seats.some((seat) => !seat.name);
  const text = free ? "Take a seat in the lobby" : "Back to the lobby";
  return [{ id: "lobby", text, main: free, run: () => location.assign(document.body.dataset.lobby) }];
}

/** The line between seat and buttons: what the hand counts now, or that it is ready. */
export function renderVerdict(store) {
  const node = byId("verdict");
  const { me, view } = store;
  const playing = me && ["playing", "melding"].includes(view.phase) && me.hand.length > 0;
  const status = store.seat(me?.seat)?.status;
  node.classList.toggle("is-valid", Boolean(playing && me.valid));
  if (!me) return void setText(node, "You are watching");
  if (!playing || !["playing", "submitted"].includes(status)) return void setText(node, "");
  if (status === "submitted") return void setText(node, "Submitted. Waiting for the others.");
  if (me.valid)
    return void setText(node, view.phase === "melding" ? "A valid show ✓" : "A valid show: ready to finish ✓");
  if (store.unsettled || me.points === null || me.points === undefined) return;
  const text = `Counts ${plural(me.points, "point")}`;
  if (node.dataset.said !== text || node.childElementCount === 0) {
    node.replaceChildren(
      document.createTextNode("Counts"),
      el("b", { text: String(me.points) }),
      el("span", { class: "unit", text: me.points === 1 ? "point" : "points" }),
    );
    node.dataset.said = text;
  }
}
