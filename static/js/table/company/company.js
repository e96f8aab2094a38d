// @ts-check
// The people at the table: their pictures, what they say, and what one may do about them. Asked for when the names at
// the table change; no move waits for it, and a table without it plays as well.

import { byId, pageData, speak, svg } from "../../shared/dom.js";
import { postJson } from "../post.js";
import { decorate, say } from "./seats.js";
import { playerWindow, sayWindow } from "./windows.js";
import { FAILED, FRIENDSHIP, saidBy } from "./words.js";

/** @import { Store } from "../model/state.js" */

/**
 * One who holds a seat, as the reader sees them; `player` is null for a computer player.
 *
 * @typedef {Object} Companion
 * @property {number} seat
 * @property {number | null} player
 * @property {string} name
 * @property {string} avatar
 * @property {boolean} muted
 * @property {"" | "asked" | "asks" | "friends"} friendship
 */

/** @typedef {{key: string, text: string, picture: boolean}} Emote */
/** @typedef {{emotes: Emote[], seats: Companion[], rematch: number | null}} People */
/** @typedef {{type: "emote", seat: number, emote: string}} EmoteFrame */

export class Company {
  /**
   * @param {Store} store
   * @param {{send: (frame: object) => unknown, showMessage: (text: string, look?: {plain: boolean}) => void}} outlets
   */
  constructor(store, { send, showMessage }) {
    this.store = store;
    this.send = send;
    this.showMessage = showMessage;
    /** @type {People} */
    this.people = { emotes: [], seats: [], rematch: null };
    this.known = "";
    store.subscribe((what) => what === "view" && this.follow());
  }

  /** Asks who is here, once for each change of the names; and again when the table is over, for the rematch. */
  follow() {
    const { view } = this.store.table;
    if (!view) return;
    const people = view.seats.map((seat) => seat.name).join("\n");
    const now = `${people}\n${view.phase === "over"}`;
    if (now !== this.known) {
      this.known = now;
      this.ask();
    }
    this.draw();
  }

  async ask() {
    const known = this.known;
    const answer = await fetch(pageData("company")).catch(() => null);
    if (!answer?.ok || known !== this.known) return;
    this.people = await answer.json();
    this.store.own.set({ rematch: this.people.rematch });
    this.draw();
  }

  draw() {
    decorate(this.people.seats, this.store.table.me?.seat ?? null, {
      say: () => this.speak(),
      about: (companion) => this.show(companion),
    });
  }

  /** @param {EmoteFrame} frame */
  showEmote({ seat, emote }) {
    const known = this.people.emotes.find((one) => one.key === emote);
    const companion = this.people.seats.find((one) => one.seat === seat);
    if (!known || companion?.muted) return;
    const content = known.picture ? picture(known) : known.text;
    say(seat, this.store.table.me?.seat ?? null, content);
    const name = companion?.name ?? this.store.table.view?.seats[seat]?.name ?? "";
    if (seat !== this.store.table.me?.seat) speak(byId("live"), saidBy(name, known.text));
  }

  async speak() {
    const chosen = await sayWindow(this.people.emotes, picture);
    if (chosen) this.send({ type: "emote", emote: chosen });
  }

  /** @param {Companion} companion */
  async show(companion) {
    const act = await playerWindow(companion);
    const { player } = companion;
    if (act === "friend") await this.befriend(companion);
    else if (act === "mute") await this.post(pageData("mutes"), { player, muted: !companion.muted });
  }

  /** @param {Companion} companion */
  async befriend({ player, friendship }) {
    const isDone = await this.post(pageData("friends"), { player });
    if (isDone) this.showMessage(FRIENDSHIP[friendship === "asks" ? "friends" : "asked"].text, { plain: true });
  }

  /**
   * Returned is whether it was done.
   *
   * @param {string} address
   * @param {object} content
   */
  async post(address, content) {
    const { ok, message } = await postJson(address, content);
    if (!ok) this.showMessage(message ?? FAILED);
    await this.ask();
    return ok;
  }
}

/** @type {(emote: Emote) => SVGElement} */
const picture = ({ key }) =>
  svg("svg", { class: "emote", "aria-hidden": "true" }, svg("use", { href: `${pageData("emotes")}#${key}` }));
