// @ts-check
// At a table of a tournament: the way to the next table, how it ended, the press that sits one back in, and the others.

import { addressOf, byId, drawnOnce, el } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { buzz, notify } from "../shared/notices.js";
import { play } from "../shared/sounds.js";
import { overText } from "../tournament/call.js";
import { go, isFramed } from "./parent_page.js";
import { postJson } from "./post.js";
import { offer, toast } from "./view/toasts.js";

/** @import { OpenedMessage, OverMessage } from "../lobby/types.js" */
/** @import { TournamentView } from "../shared/types.js" */

/** For so long the way to another table is offered, to who still plays at this one. */
const OFFERED_MS = 20_000;

export class Tournament {
  /** @param {import("./model/state.js").Store} store */
  constructor(store) {
    this.store = store;
    /** The deal for which the player has come back: the view learns of it with the next result. */
    this.backSince = -1;
    store.subscribe(() => this.#render());
  }

  /** @param {OpenedMessage | OverMessage} frame */
  take(frame) {
    if (frame.type === "tournament_over") return void toast(overText(frame), { plain: true, ms: 12_000 });
    if (String(frame.table) === document.body.dataset.table) return;
    const { view } = this.store.table;
    const text = t("Your next table is open.");
    play("start");
    buzz();
    if (document.hidden) notify(view?.table.title ?? "", text, addressOf("tablePage", frame.table));
    const stays = view?.me && view.phase !== "over" && view.table.tournament?.id !== frame.tournament;
    if (stays) offer(text, t("To the table"), () => this.#goTo(frame.table), OFFERED_MS);
    else this.#goTo(frame.table);
  }

  /** @param {number} table */
  #goTo(table) {
    go(addressOf(isFramed() ? "ownTables" : "tablePage", table));
  }

  #render() {
    const { view } = this.store.table;
    const part = view?.table.tournament;
    const card = byId("dropped-out");
    card.hidden = !part?.automatic || this.backSince === view?.deal?.number;
    if (part && !card.hidden) drawnOnce(card, part.id, () => card.replaceChildren(...this.#contents(part)));
  }

  /** @param {TournamentView} part */
  #contents(part) {
    const onclick = () => this.#comeBack(part.id);
    return [
      el("p", { text: t("You were away: your hand is dropped at each deal until you are back.") }),
      el("button", { class: "act is-main", type: "button", onclick }, t("Sit back in")),
    ];
  }

  /** @param {number} id */
  async #comeBack(id) {
    const answer = await postJson(addressOf("tournamentBack", id), {});
    if (!answer.ok) return void toast(answer.message || t("That did not work."));
    this.backSince = this.store.table.view?.deal?.number ?? -1;
    this.#render();
    toast(t("You play on."), { plain: true });
  }
}

/** The places of the others, and for which result they were asked. */
const others = el("section", { class: "others", "aria-label": t("Places in the tournament") });
let askedFor = "";

/**
 * The first places and one's own, asked for once after each deal.
 *
 * @param {TournamentView} part
 * @param {import("../shared/types.js").DealId | null} deal
 */
export function othersOf({ id, title }, deal) {
  if (askedFor !== `${id}-${deal}`) {
    askedFor = `${id}-${deal}`;
    askForOthers(id, title);
  }
  return others;
}

/** @type {(id: number, title: string) => Promise<void>} */
async function askForOthers(id, title) {
  const answer = await fetch(addressOf("tournamentOthers", id)).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  others.replaceChildren(el("h3", { text: title }), ...page.body.childNodes);
}
