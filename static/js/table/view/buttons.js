// @ts-check
// The row of moves. Every button is there or lit because the view's moves say so.

import { byId, drawnOnce, el, keyed, pageData, setAttr, setText } from "../../shared/dom.js";
import { t } from "../../shared/language.js";
import { find } from "../../shared/query.js";
import { continueText, plural } from "../../shared/words.js";
import { go, toLobby } from "../parent_page.js";
import { inviteDialog } from "./dialogs/invite.js";
import { chipsDialog } from "./dialogs/menu.js";
import { isPutAway, panelOf } from "./panel/shown.js";

/** @import { Shown } from "../model/state.js" */
/** @import { MeView } from "../../shared/types.js" */
/** @import { Actions } from "../input/actions.js" */

/**
 * A button: `on` where it is a switch, `small` what stands below its text.
 *
 * @typedef {Object} Button
 * @property {string} id
 * @property {string} text
 * @property {() => unknown} run
 * @property {string} [small]
 * @property {string} [key]
 * @property {string | null} [title]
 * @property {boolean} [main]
 * @property {boolean} [grave]
 * @property {boolean} [on]
 * @property {boolean} [disabled]
 */

/**
 * What each button does now; a button stays in place while what it does changes.
 *
 * @type {WeakMap<HTMLElement, () => unknown>}
 */
const runs = new WeakMap();

/** @type {(store: Shown, actions: Actions) => void} */
export function renderButtons(store, actions) {
  keyed(byId("actions"), store.table.stopped ? [] : listed(store, actions), (one) => one.id, build, update);
}

/** @type {(store: Shown, actions: Actions) => Button[]} */
function listed(store, actions) {
  const { me, phase } = store.table.view;
  if (!me) return watching(store, actions);
  if (phase === "melding" && store.table.can("submit")) return meldingButtons(store, actions);
  if (phase !== "playing" && phase !== "melding") return betweenButtons(store, actions);
  const buttons = me.hand.length > 0 ? playingButtons(store, me, actions) : [];
  return looksOn(store, me) ? skipButton(actions) : buttons;
}

/**
 * Whether this is a practice table whose player has nothing more to do in the deal.
 *
 * @type {(store: Shown, me: MeView) => boolean}
 */
function looksOn({ table: { view } }, me) {
  const own = view.seats.find((seat) => seat.seat === me.seat)?.status;
  return view.table.practice && own !== "playing";
}

/** @type {(actions: Actions) => Button[]} */
function skipButton(actions) {
  const title = t("The computer players finish the deal at once");
  return [
    {
      id: "skip",
      text: t("Skip to the end"),
      main: true,
      run: () => actions.skip(),
      disabled: actions.isAsking("skip"),
      title,
    },
  ];
}

/** @param {Button} one */
function build(one) {
  const node = el("button", { class: "act", type: "button", id: `act-${one.id}` }, el("span", {}), el("small", {}));
  node.addEventListener("click", () => runs.get(node)?.());
  return node;
}

/**
 * @param {HTMLButtonElement} node
 * @param {Button} one
 */
function update(node, one) {
  runs.set(node, one.run);
  node.disabled = Boolean(one.disabled);
  const looks = { "is-main": one.main, "is-grave": one.grave, "is-on": one.on, "is-switch": one.on !== undefined };
  for (const [look, on] of Object.entries(looks)) node.classList.toggle(look, Boolean(on));
  setText(find(node, "span"), one.text);
  setText(find(node, "small"), one.small ?? "");
  find(node, "small").hidden = !one.small;
  setAttr(node, "aria-pressed", one.on === undefined ? null : String(one.on));
  setAttr(node, "aria-keyshortcuts", one.key ?? null);
  setAttr(node, "title", one.title ?? null);
}

const UNDO = t("Lay the cards as before the last change");

/** @type {(store: Shown, actions: Actions) => Button} */
function sortButton(store, actions) {
  return {
    id: "sort",
    text: t("Sort"),
    key: "S",
    run: () => actions.sort(),
    disabled: !store.table.can("sort"),
    title: t("Sort the hand by suits, once a deal"),
  };
}

/** @type {(store: Shown, me: MeView, actions: Actions) => Button[]} */
function playingButtons(store, me, actions) {
  const selected = store.own.selected.size;
  const whole = actions.wholeGroupChosen;
  const one = selected === 1;
  return [
    sortButton(store, actions),
    ...(actions.canUndo ? [{ id: "undo", text: t("Undo"), key: "Z", run: () => actions.undo(), title: UNDO }] : []),
    {
      id: "group",
      text: whole ? t("Ungroup") : t("Group"),
      key: "G",
      run: () => actions.group(),
      disabled: !store.table.can("arrange") || selected === 0,
    },
    ...dropButton(store, me, actions),
    {
      id: "finish",
      text: store.table.showsUndrawn ? t("Show") : t("Finish"),
      key: "F",
      run: () => actions.finish(),
      main: store.table.can("finish") && me.valid && (one || store.table.showsUndrawn),
      disabled: !store.table.can("finish") || !(one || store.table.showsUndrawn) || actions.isAsking("finish"),
      title: store.table.showsUndrawn ? t("Show all 13 cards without drawing") : null,
    },
    {
      id: "discard",
      text: t("Discard"),
      key: "D",
      main: store.table.can("discard") && one && !me.valid,
      run: () => actions.discard(),
      disabled: !store.table.can("discard") || !one || actions.isAsking("discard"),
    },
  ];
}

/**
 * One place for both: drop now on one's own turn, or the switch that drops at the next one.
 *
 * @type {(store: Shown, me: MeView, actions: Actions) => Button[]}
 */
function dropButton(store, me, actions) {
  const points = me.drop_points;
  if (store.table.can("drop")) {
    const small = points ? t("{points} pts", { points }) : "";
    const title = points ? t("Costs {points}", { points: plural(points, "point") }) : null;
    return [{ id: "drop", text: t("Drop"), small, grave: true, key: "X", run: () => actions.drop(), title }];
  }
  if (!store.table.can("auto_drop") || me.guided) return [];
  const [on, run] = [me.auto_drop, () => actions.autoDrop()];
  return [
    {
      id: "auto-drop",
      text: t("Auto-drop"),
      small: on ? t("on") : t("off"),
      on,
      run,
      title: t("Drops at your next turn"),
    },
  ];
}

/** @type {(store: Shown, actions: Actions) => Button[]} */
function meldingButtons(store, actions) {
  const { groups, loose } = store.own.arrangement;
  const inHand = groups.some((group) => !group.melded);
  const inBoxes = groups.some((group) => group.melded);
  return [
    // Sorting takes everything out of the boxes, so it stands here only before the first is filled.
    ...(store.table.can("sort") && !inBoxes ? [sortButton(store, actions)] : []),
    { id: "meld-all", text: t("Meld all"), run: () => actions.meldAll(), disabled: !inHand },
    { id: "meld", text: t("Meld"), key: "M", run: () => actions.meld(), disabled: store.own.selected.size === 0 },
    { id: "clear", text: t("Clear"), run: () => actions.clear(), disabled: !inBoxes },
    {
      id: "submit",
      text: t("Submit"),
      // Thirteen cards as they were dealt are hardly what the player means to submit.
      main: groups.length > 0,
      small: loose.length > 0 ? t("{cards} loose", { cards: plural(loose.length, "card") }) : "",
      run: () => actions.submit(),
      disabled: actions.isAsking("submit"),
    },
  ];
}

/** @type {(store: Shown, actions: Actions) => Button[]} */
function betweenButtons(store, actions) {
  const hidden = isPutAway(panelOf(store), store.own.panelClosed);
  const goOn = continueText(store.table.view);
  /** @type {[boolean, Button][]} */
  const buttons = [
    [store.table.can("add_chips"), { id: "chips", text: t("Add chips"), run: () => chipsDialog(store.table, actions) }],
    [
      practises(store),
      { id: "practise", text: t("Practise"), small: CALLED, main: true, run: () => actions.practise() },
    ],
    [
      Boolean(store.table.me?.private_code) && store.table.view.free_seats.length > 0,
      { id: "invite", text: t("Invite friends"), run: inviteDialog },
    ],
    [hidden, { id: "result", text: t("Show result"), run: () => store.own.set({ panelClosed: null }) }],
    [store.table.can("leave"), { id: "leave", text: t("Leave"), run: () => actions.leave() }],
    [hidden && store.table.can("continue"), { id: "continue", text: goOn, main: true, run: () => actions.continue() }],
  ];
  return buttons.filter(([can]) => can).map(([, button]) => button);
}

const CALLED = t("we will call you");

/** @type {(store: Shown) => boolean} Whether one waits here for others, and may practise as long. */
function practises({ table: { view } }) {
  return view.phase === "waiting" && !view.table.practice && pageData("practice") !== "";
}

/** @type {(store: Shown, actions: Actions) => Button[]} */
function watching(store, actions) {
  if (store.table.view.table.practice)
    return [{ id: "again", text: t("Play again"), main: true, run: () => actions.playAgain() }];
  const lobby = { id: "lobby", text: t("Back to the lobby"), run: () => toLobby(store.table.view.table.id) };
  const watch = { id: "watch", text: t("Watch with open hands"), run: () => go(pageData("watch")) };
  const ways = pageData("watch") ? [lobby, watch] : [lobby];
  if (store.table.view.free_seats.length === 0 || !pageData("sit")) return ways;
  return [...ways, { id: "sit", text: t("Sit down"), main: true, run: () => go(pageData("sit")) }];
}

/**
 * The line between seat and buttons.
 *
 * @param {Shown} store
 */
export function renderVerdict(store) {
  const node = byId("verdict");
  const verdict = verdictOf(store);
  if (verdict) drawnOnce(node, verdict, (shown) => drawVerdict(node, shown));
}

/** @typedef {{text: string, points?: number, valid?: boolean}} Verdict */

/**
 * What the hand counts now, or that it is ready; null while the server has not judged it as it lies.
 *
 * @type {(store: Shown) => Verdict | null}
 */
function verdictOf(store) {
  const { me, phase } = store.table.view;
  if (!me) return { text: t("You are watching") };
  const playing = ["playing", "melding"].includes(phase) && me.hand.length > 0;
  const status = playing ? store.table.seat(me.seat)?.status : null;
  if (status === "submitted") return { text: t("Submitted. Waiting for the others."), valid: me.valid };
  if (status !== "playing") return { text: "" };
  if (me.valid)
    return { text: phase === "melding" ? t("A valid show ✓") : t("A valid show: ready to finish ✓"), valid: true };
  return store.own.unsettled || me.points === null ? null : { text: t("Counts"), points: me.points };
}

/** @type {(node: HTMLElement, verdict: Verdict) => void} */
function drawVerdict(node, { text, points, valid = false }) {
  node.classList.toggle("is-valid", valid);
  if (points === undefined) return void setText(node, text);
  const unit = el("span", { class: "unit", text: points === 1 ? t("point") : t("points") });
  node.replaceChildren(text, el("b", { text: String(points) }), unit);
}
