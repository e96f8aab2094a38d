// @ts-check
// A deal step by step: the board, its controls and its keys, and the log. A deal that is told as it went grows.

import { byId, el, setAttr, setText } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { drawStep } from "./board.js";
import { Player } from "./player.js";
import { unfolded } from "./steps.js";

/** @import { Seated } from "./board.js" */
/** @import { Step } from "./steps.js" */

/** Where keys have a meaning of their own. */
const TYPING = "input, select, textarea, summary, a, button";

export class Replay {
  /**
   * @param {Step[]} steps
   * @param {Seated[]} players in the order in which they are shown
   * @param {number} at the step to begin with
   */
  constructor(steps, players, at) {
    this.steps = steps;
    this.players = players;
    this.player = new Player(steps.length, at, () => this.#draw());
    this.log = [...byId("log").children].map((line, place) => button(line, () => this.player.goTo(place)));
    const bar = this.#bar();
    bar.addEventListener("input", () => this.player.goTo(Number(bar.value)));
    listen(this.player);
    if (steps.length > 0) this.#draw();
  }

  /**
   * Shows another deal from its newest step on.
   *
   * @param {Step[]} steps
   * @param {Seated[]} players
   */
  restart(steps, players) {
    this.steps = steps;
    this.players = players;
    this.log = [];
    byId("log").replaceChildren();
    for (const step of steps) this.#write(step);
    this.player.restart(steps.length, steps.length - 1);
  }

  /** @param {Partial<Step>} change */
  add(change) {
    const [, step] = unfolded([this.steps[this.steps.length - 1], change]);
    this.steps.push(step);
    this.#write(step);
    this.player.grow();
  }

  /** @param {Step} step */
  #write(step) {
    const place = this.log.length;
    const line = el("li", { text: step.text });
    byId("log").append(line);
    this.log.push(button(line, () => this.player.goTo(place)));
  }

  #bar() {
    return /** @type {HTMLInputElement} */ (byId("bar"));
  }

  #draw() {
    const { player, steps } = this;
    const step = steps[player.at];
    const bar = this.#bar();
    drawStep(step, this.players);
    byId("told").setAttribute("aria-live", player.playing ? "off" : "polite");
    setText(byId("told"), step.text);
    setText(byId("place"), t("Step {at} of {steps}", { at: player.at + 1, steps: steps.length }));
    setText(byId("play"), player.playing ? t("Pause") : t("Play"));
    bar.max = String(player.last);
    bar.value = String(player.at);
    bar.setAttribute("aria-valuetext", t("Step {at}: {text}", { at: player.at + 1, text: step.text }));
    ends(player);
    mark(this.log, player.at);
  }
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
  const node = el("button", { type: "button", text: line.textContent, onclick: act });
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
