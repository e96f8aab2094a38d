// The table page: one socket, one view, everything drawn from it.

import { Actions } from "./actions.js";
import { renderButtons, renderVerdict } from "./buttons.js";
import { remind } from "./care.js";
import { renderBar, renderCentre } from "./centre.js";
import { Clock } from "./clock.js";
import { Commands } from "./commands.js";
import { chipsDialog, closeQuestion, fairDialog, isOpen, menuDialog } from "./dialogs.js";
import { renderDiscards, toggleDiscards } from "./discards.js";
import { byId, el, icon, keyed, setText } from "./dom.js";
import { Drag } from "./drag.js";
import { afterRender, beforeRender } from "./events.js";
import { follow, stand } from "./focus.js";
import { Hand } from "./hand.js";
import { boxColumns } from "./layout.js";
import { listen } from "./keyboard.js";
import { mode, whenModeChanges } from "./modes.js";
import { renderPanel } from "./panel.js";
import { renderSeats } from "./seats.js";
import { apply, change, settings } from "./settings.js";
import { lastDealDialog, sheetDialog } from "./sheet.js";
import { TableSocket } from "./socket.js";
import { play } from "./sounds.js";
import { Store } from "./state.js";
import { toast } from "./toasts.js";
import { chips, facts } from "./words.js";

const table = document.body.dataset.table;
const store = new Store();
const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/tables/${table}/`;
const socket = new TableSocket(address, { frame: received, status: (name) => store.setLink(name), opened: () => commands.resend(), awaited: () => store.awaited });
const commands = new Commands(socket, () => store.version);
const hand = new Hand(store);
const actions = new Actions(store, commands, hand);
const drag = new Drag(store, hand, (cards, target) => actions.move(cards, target), (group) => actions.clear(group));
const clock = new Clock(store, () => play("second"));
let offered = null;

function received(frame) {
  if (frame.type === "state") {
    store.take(frame);
    if (frame.away_ms) toast(backAgain(frame.away_ms), { plain: true, ms: 6000 });
  } else if (frame.type === "pong") {
    if (frame.version !== store.version || store.halted === "stopped") socket.send({ type: "sync" });
  } else if (frame.type === "ack" || frame.type === "error") {
    const known = commands.answered(frame);
    if (frame.code === "frozen") store.halt("stopped");
    else if (frame.code === "settlement_frozen" && !known && frame.type === "error") store.halt("waiting");
    else if (!known && frame.type === "error") toast(frame.message);
    if (frame.code === "stale") socket.send({ type: "sync" });
  }
}

function render(what) {
  renderLink();
  if (!store.view) return;
  document.body.classList.toggle("is-stopped", store.stopped);
  document.body.dataset.phase = store.view.phase;
  document.body.classList.toggle("is-watching", !store.me);
  const before = { places: new Map(hand.places), ...stand(hand) };
  if (what === "view") beforeRender(store, hand);
  renderBar(store, facts);
  renderSeats(store);
  renderMelding();
  renderCentre(store);
  hand.render();
  renderPanel(store, actions);
  renderButtons(store, actions);
  renderVerdict(store);
  renderDiscards(store);
  clock.tick();
  if (store.stopped) closeQuestions();
  if (what === "view") {
    afterRender(store, hand, before);
    afterView();
    follow(store, hand, before);
  }
}

function renderMelding() {
  const melding = store.view.phase === "melding" && store.can("submit");
  byId("boxes").hidden = !melding;
  document.body.classList.toggle("is-melding", melding);
  if (!melding) return;
  const mine = store.view.melding_by === store.me.seat;
  setText(byId("boxes-title"), mine ? "Show your hand" : "Submit your hand");
  setText(byId("boxes-note"), mine ? "Put your groups into the boxes and submit. Tap a box to take it back." : "A valid show was made. Group what you can: the rest counts.");
  const sizes = store.arrangement.groups.filter((group) => group.melded).map((group) => group.cards.length);
  const full = sizes.length;
  byId("boxes-grid").style.gridTemplateColumns = boxColumns(sizes, mode());
  keyed(byId("boxes-grid"), [0, 1, 2, 3, 4, 5], (place) => place, () => el("div", { class: "box" }), (node, place) => {
    node.classList.toggle("is-full", place < full);
    setText(node, place < full ? "" : String(place + 1));
  });
}

/** What a new view calls for beside drawing: the seed, the question for chips, the end of a question whose turn is over. */
function afterView() {
  actions.seed();
  closeQuestions();
  const { table: terms, phase, result } = store.view;
  const stack = store.seat(store.me?.seat)?.stack ?? 0;
  const short = store.can("add_chips") && terms.point_value && stack < 80 * terms.point_value;
  const key = `${result?.deal ?? phase}-${stack}`;
  if (short && !["playing", "melding"].includes(phase) && offered !== key && !isOpen()) {
    offered = key;
    chipsDialog(store, actions);
  }
}

/** A question whose turn is over asks no more. */
function closeQuestions() {
  if (!store.can("draw") && !store.can("discard")) closeQuestion("turn-question");
  if (!store.can("submit")) closeQuestion("meld-question");
}

/** What stands on a card in the middle: nothing can be done here now, and nothing is wrong. */
const HALTED = { stopped: "This table is stopped for a while", waiting: "This table waits for a while", out: "You were seated out" };
const LINK = {
  connecting: "Connecting…",
  reconnecting: "The line to the table is lost. Your cards and chips are safe; trying again…",
  replaced: "This seat is now played from another window.",
  "signed-out": "You are signed out.",
  "no-table": "This table is not open to you, or it is closed.",
  waiting: "Our staff are checking the books. Your chips are safe, no clock runs, and the game goes on here by itself.",
  stopped: "Our staff are looking at it. Your chips are safe, no clock runs, and the game goes on here by itself.",
};

/** What whoever comes back after an outage of the platform reads. */
function backAgain(ms) {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return `The platform was away for ${seconds} ${seconds === 1 ? "second" : "seconds"}. Your cards are safe, and the clock got that time back.`;
}

function renderLink() {
  const banner = byId("link-banner");
  const late = store.link === "connecting" && !store.view;
  const out = store.seatedOut && !actions.isAsking("leave") ? "out" : "open";
  const link = store.link === "open" ? store.halted || out : store.link;
  banner.hidden = link === "open" || (link === "connecting" && !late);
  if (banner.hidden || banner.dataset.link === link) {
    if (banner.hidden) banner.dataset.link = "";
    return;
  }
  banner.dataset.link = link;
  const firm = ["replaced", "signed-out", "no-table"].includes(link) || link in HALTED;
  banner.classList.toggle("is-firm", firm);
  banner.classList.toggle("is-calm", link in HALTED);
  const parts = [link in HALTED ? el("b", { text: HALTED[link] }) : icon("offline"), el("span", { text: link === "out" ? seatedOut() : (LINK[link] ?? "") })];
  if (store.link === "replaced") parts.push(el("button", { class: "act is-main", type: "button", onclick: () => socket.connect() }, "Play here"));
  if (store.link === "signed-out") parts.push(el("a", { class: "act is-main link-act", href: document.body.dataset.login }, "Sign in"));
  if (link === "no-table" || link in HALTED) parts.push(el("a", { class: "act is-main link-act", href: document.body.dataset.lobby }, "To the lobby"));
  if (link === "out" && store.view.table.practice) parts.push(el("button", { class: "act is-main", type: "button", onclick: () => actions.playAgain() }, "Play again"));
  if (link === "out") parts.push(el("button", { class: "act", type: "button", onclick: () => store.lookOn() }, "Look on"));
  banner.replaceChildren(...parts);
}

function seatedOut() {
  const { returned, unready } = store.seatedOut;
  const why = unready ? "Who does not continue gives up the seat when the time is over. " : "";
  return `${why}${returned ? `${chips(returned, store.view.table.currency)} are in your balance again.` : "Your seat is free for others."}`;
}

function soundTool() {
  const tool = byId("tool-sound");
  tool.replaceChildren(icon(settings.sound ? "sound" : "mute"));
  tool.setAttribute("aria-pressed", String(settings.sound));
}

const open = {
  sheet: () => sheetDialog(store),
  last: () => lastDealDialog(store),
  discards: () => toggleDiscards(store),
  fair: () => fairDialog(store),
};

function wire() {
  for (const node of document.querySelectorAll("[data-icon]")) node.prepend(icon(node.dataset.icon));
  byId("closed").addEventListener("click", () => actions.draw("closed"));
  byId("open").addEventListener("click", () => (store.can("draw") ? actions.draw("open") : actions.discard()));
  byId("finish").addEventListener("click", () => actions.finish());
  byId("tool-discards").addEventListener("click", open.discards);
  const whenSeen = (run) => () => store.view && run();
  byId("tool-sheet").addEventListener("click", whenSeen(open.sheet));
  byId("tool-last").addEventListener("click", whenSeen(open.last));
  byId("tool-fair").addEventListener("click", whenSeen(open.fair));
  byId("tool-menu").addEventListener("click", whenSeen(() => menuDialog(store, actions, open).then(soundTool)));
  byId("tool-leave").addEventListener("click", whenSeen(() => actions.leave()));
  byId("tool-sound").addEventListener("click", () => {
    change("sound", !settings.sound);
    soundTool();
  });
  soundTool();
  whenModeChanges(() => render("mode"));
  listen(store, actions, hand, drag);
}

apply();
wire();
store.subscribe(render);
remind(store);
socket.connect();
