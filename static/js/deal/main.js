// @ts-check
// The page of a finished deal: its replay, the review of one's own turns, its link, its proof.

import { byId, setAttr, setText } from "../table/dom.js";
import { t } from "../table/language.js";
import { drawStep } from "./board.js";
import { Player } from "./player.js";
import { checkProof } from "./proof.js";
import { showReview } from "./review.js";
import { offerCopy } from "./share.js";
import { dealtHands, firstDealt, stepOf, unfolded } from "./steps.js";

/** @typedef {import("./board.js").Seated} Seated */
/** @typedef {{deal: number, seat: number | null, players: Seated[], steps: Partial<import("./steps.js").Step>[]}} ReplayData */

const HASH = /^#step-(\d+)$/;
/** Where keys have a meaning of their own. */
const TYPING = "input, select, textarea, summary, a, button";

/** @type {ReplayData} */
const data = JSON.parse(byId("replay-data").textContent ?? "");
const steps = unfolded(data.steps);
const players = [...data.players].sort((one, other) => own(other) - own(one) || one.seat - other.seat);

/** @type {(player: Seated) => number} */
function own(player) {
  return Number(player.seat === data.seat);
}

/** @returns {number | null} */
function linkedStep() {
  const found = HASH.exec(location.hash);
  return found ? Number(found[1]) - 1 : null;
}

function replay() {
  const bar = /** @type {HTMLInputElement} */ (byId("bar"));
  const log = [...byId("log").children].map((line, place) => button(line, () => player.goTo(place)));
  const draw = () => {
    const step = steps[player.at];
    drawStep(step, players);
    byId("told").setAttribute("aria-live", player.playing ? "off" : "polite");
    setText(byId("told"), step.text);
    setText(byId("place"), t("Step {at} of {steps}", { at: player.at + 1, steps: steps.length }));
    setText(byId("play"), player.playing ? t("Pause") : t("Play"));
    bar.value = String(player.at);
    bar.setAttribute("aria-valuetext", t("Step {at}: {text}", { at: player.at + 1, text: step.text }));
    ends(player);
    mark(log, player.at);
  };
  const player = new Player(steps.length, linkedStep() ?? firstDealt(steps), draw);
  bar.max = String(player.last);
  bar.addEventListener("input", () => player.goTo(Number(bar.value)));
  listen(player);
  draw();
  return player;
}

/** @param {Player} player */
function ends(player) {
  for (const [id, at] of /** @type {[string, number][]} */ ([
    ["first", 0],
    ["back", 0],
    ["next", player.last],
    ["last", player.last],
  ])) {
    byId(id).setAttribute("aria-disabled", String(player.at === at));
  }
}

/** @param {Player} player */
function listen(player) {
  const speed = /** @type {HTMLSelectElement} */ (byId("speed"));
  speed.addEventListener("change", () => player.setSpeed(Number(speed.value)));
  byId("first").addEventListener("click", () => player.move(-player.at));
  byId("back").addEventListener("click", () => player.move(-1));
  byId("play").addEventListener("click", () => player.toggle());
  byId("next").addEventListener("click", () => player.move(1));
  byId("last").addEventListener("click", () => player.move(player.last));
  addEventListener("hashchange", () => player.goTo(linkedStep() ?? player.at));
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => player.move(-1),
    ArrowRight: () => player.move(1),
    Home: () => player.move(-player.at),
    End: () => player.move(player.last),
    " ": () => player.toggle(),
  };
  addEventListener("keydown", (event) => {
    const act = keys[event.key];
    const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
    if (!act || !plain || isTaken(event)) return;
    event.preventDefault();
    act();
  });
}

/**
 * Arrows belong to the replay also where one of its buttons has the focus; Space then presses that button.
 *
 * @param {KeyboardEvent} event
 */
function isTaken({ target, key }) {
  if (!(target instanceof Element)) return false;
  const inReplay = target.matches("button") && target.closest("#replay") !== null && key !== " ";
  return target.matches(TYPING) && !inReplay;
}

/** @type {(line: Element, act: () => void) => HTMLElement} */
function button(line, act) {
  const node = document.createElement("button");
  node.type = "button";
  node.textContent = line.textContent;
  node.addEventListener("click", act);
  line.replaceChildren(node);
  return node;
}

/** @type {(log: HTMLElement[], at: number) => void} */
function mark(log, at) {
  for (const [place, line] of log.entries()) setAttr(line, "aria-current", place === at && "step");
  const list = byId("log");
  const here = log[at];
  if (here) list.scrollTop = here.offsetTop - list.clientHeight / 2;
}

if (steps.length > 0) {
  const player = replay();
  const jump = (/** @type {number} */ event) => {
    player.pause();
    player.goTo(stepOf(steps, event));
    byId("replay").scrollIntoView({ block: "start" });
  };
  const wildRank = steps.at(-1)?.wild_rank || null;
  const { review, proof } = document.body.dataset;
  if (review) showReview(review, { players, wildRank, jump });
  if (proof) checkProof(proof, { deal: data.deal, players, wildRank, hands: dealtHands(steps) });
}
offerCopy();
