// @ts-check
// The table page: one socket, one view, everything drawn from it. Here its parts are put together.

import { answerQuietly, showNews } from "../company/news.js";
import { pageData } from "../shared/dom.js";
import { apply } from "../shared/settings.js";
import { Company } from "./company/company.js";
import { Actions } from "./input/actions.js";
import { Drag } from "./input/drag.js";
import { listen } from "./input/keyboard.js";
import { Questions } from "./input/questions.js";
import { wireTools } from "./input/tools.js";
import { whenModeChanges } from "./layout_modes.js";
import { Store } from "./model/state.js";
import { Commands } from "./net/commands.js";
import { receiver } from "./net/frames.js";
import { TableSocket } from "./net/socket.js";
import { askToCall } from "./notification_permission.js";
import { Page } from "./page.js";
import { openLinksInParent } from "./parent_page.js";
import { remind } from "./reminder.js";
import { Tournament } from "./tournament.js";
import { Caller } from "./turn_alerts.js";
import { openAsLeft } from "./view/discards.js";
import { Hand } from "./view/hand.js";
import { Rings } from "./view/rings.js";
import { toast } from "./view/toasts.js";

const scheme = location.protocol === "https:" ? "wss" : "ws";
const address = `${scheme}://${location.host}${pageData("socket")}`;

const store = new Store();
const socket = new TableSocket(address, {
  frame: (frame) => receive(frame),
  status: (name) => store.setLink(name),
  opened: () => commands.resend(),
  awaited: () => store.table.awaited,
});
const commands = new Commands(socket, () => store.table.version);
const company = new Company(store, { send: (frame) => socket.send(frame), showMessage: toast });
const tournament = new Tournament(store);
const receive = receiver(store, commands, {
  send: (frame) => socket.send(frame),
  showMessage: toast,
  showEmote: (frame) => company.showEmote(frame),
  showNews: () => {
    showNews();
    company.ask();
  },
  callToTournament: (frame) => tournament.take(frame),
});

const hand = new Hand(store);
const actions = new Actions(store, commands, hand);
const drag = new Drag(
  store,
  hand,
  (cards, target) => actions.lay(cards, target),
  (group) => actions.clear(group),
  (card) => (store.table.can("discard") ? actions.discardSoon(card) : store.own.toggle(card)),
);
const caller = new Caller(store);
const rings = new Rings(store.table, (seconds) => caller.tick(seconds));
const questions = new Questions(store.table, actions);
const page = new Page(store, actions, { hand, rings, questions, reconnect: () => socket.connect() });

apply();
openLinksInParent();
openAsLeft();
wireTools(store.table, actions);
listen(store, actions, hand, drag);
store.subscribe((what) => page.render(what));
whenModeChanges(() => page.render("mode"));
remind(store);
askToCall(store);
answerQuietly();
showNews();
socket.connect();
