// @ts-check
// Calls the player to their table of a tournament, wherever on the site they are: title, sound, notice, and a card.

import { addressOf, el } from "../shared/dom.js";
import { t } from "../shared/language.js";
import { buzz, notify } from "../shared/notices.js";
import { play } from "../shared/sounds.js";

/** @import { Message } from "../lobby/types.js" */

const title = document.title;

/**
 * Whether the message was about a tournament; then the player is called, or told.
 *
 * @param {Message} message
 */
export function calledByTournament(message) {
  if (message.type === "tournament_table") {
    const text = t("Your table of the tournament is open.");
    const address = addressOf("tablePage", message.table);
    show(text, { address, label: t("To your table") });
    document.title = `${text} · ${title}`;
    play("start");
    buzz();
    if (document.hidden) notify(text, title, address);
    return true;
  }
  if (message.type !== "tournament_over") return false;
  show(overText(message), { address: addressOf("tournamentPage", message.tournament), label: t("Look at it") });
  return true;
}

/** @param {import("../lobby/types.js").OverMessage} over */
export function overText({ place, prize }) {
  if (place === null) return t("The tournament is over for you.");
  const text = t("The tournament is over for you: place {place}.", { place });
  return prize ? t("{text} You win {prize} chips.", { text, prize }) : text;
}

/** @type {(text: string, way: {address: string, label: string}) => void} */
function show(text, { address, label }) {
  const card = el(
    "article",
    { class: "call", id: "tournament-call" },
    el("p", { text }),
    el("a", { class: "call__yes", href: address, text: label }),
  );
  document.getElementById("tournament-call")?.remove();
  document.getElementById("news")?.prepend(card);
}
