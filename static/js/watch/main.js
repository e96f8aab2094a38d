// @ts-check
// The page of who watches a table one deal behind: the deal before the running one, and beside it how the table stands.

import { Replay } from "../deal/replay.js";
import { unfolded } from "../deal/steps.js";
import { connect } from "../lobby/socket.js";
import { byId, setText } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { showLive, tickClock } from "./live.js";
import { showResult } from "./result.js";

/** @import { Message, WatchMessage } from "./types.js" */

const CONNECTION = { first: t("Connecting…"), live: "", again: t("Reconnecting…"), off: t("You are offline") };
/** The codes after which there is nothing to watch here any more: 4003 and 4004 of the socket. */
const OVER = new Set([4003, 4004]);
const { watch = "" } = document.body.dataset;
/** @type {Replay | null} */
let replay = null;
/** @type {WatchMessage | null} */
let picture = null;

/** @type {{[type in Message["type"]]?: (message: any) => void}} */
const SHOW = {
  watch: show,
  step({ step }) {
    replay?.add(step);
    follow();
  },
  result({ rows }) {
    if (picture?.deal) showResult(rows, picture.deal.number, picture.table);
  },
  live({ live, now }) {
    if (picture) picture.live = live;
    told(now);
  },
  error: ({ message }) => {
    setText(byId("connection"), message);
    byId("connection").hidden = false;
  },
};

/** @param {WatchMessage} message */
function show(message) {
  const before = picture?.deal?.id;
  picture = message;
  const { deal, table } = message;
  byId("waiting").hidden = deal !== null;
  byId("shown").hidden = deal === null;
  if (deal) {
    setText(byId("replay-title"), t("Deal {number}, with all hands open", { number: deal.number }));
    const steps = unfolded(deal.steps);
    if (!replay) replay = new Replay([], deal.seats, 0);
    // After a lost line the same deal is told anew from where it is by now.
    if (before !== deal.id || steps.length !== replay.steps.length) replay.restart(steps, deal.seats);
    if (deal.result) showResult(deal.result, deal.number, table);
    follow();
  }
  told(message.now);
}

/** Says whether one sees the newest step. */
function follow() {
  if (replay) byId("behind").hidden = replay.player.at === replay.player.last;
}

/** @param {number} now */
function told(now) {
  if (picture) showLive(picture, now);
}

if (watch) {
  connect({
    path: watch,
    onState(state) {
      byId("connection").hidden = state === "live";
      setText(byId("connection"), CONNECTION[state]);
    },
    /** @param {Message} message */
    onMessage: (message) => SHOW[message.type]?.(message),
    isOver: (code) => OVER.has(code),
  });
  setInterval(tickClock, 1000);
  for (const event of ["click", "keydown", "input"]) addEventListener(event, () => setTimeout(follow));
}
