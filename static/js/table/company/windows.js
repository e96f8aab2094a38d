// @ts-check
// Two small windows: what one can say, and what one can do about another player.

import { el } from "../../shared/dom.js";
import { closeWindow, paragraph, show } from "../view/dialogs/window.js";
import { ABOUT, FRIENDSHIP, MUTE, MUTED, SAY } from "./words.js";

/** @import { Companion, Emote } from "./company.js" */

/**
 * The key of what the player chose to say; empty for nothing.
 *
 * @param {Emote[]} emotes
 * @param {(emote: Emote) => Node} picture
 */
export async function sayWindow(emotes, picture) {
  let chosen = "";
  /** @type {(emote: Emote) => HTMLElement} */
  const one = (emote) => {
    const onclick = () => {
      chosen = emote.key;
      closeWindow();
    };
    const shown = emote.picture ? { "aria-label": emote.text, title: emote.text } : {};
    return el(
      "button",
      { class: "say", type: "button", onclick, ...shown },
      emote.picture ? picture(emote) : emote.text,
    );
  };
  const pictures = emotes.filter((emote) => emote.picture).map(one);
  const phrases = emotes.filter((emote) => !emote.picture).map(one);
  const body = [
    el("div", { class: "say-pictures" }, ...pictures),
    el("div", { class: "say-phrases" }, ...phrases),
    el("p", { class: "fine", text: ABOUT }),
  ];
  await show(SAY, body, [], "say-window");
  return chosen;
}

/**
 * What the player wants to do about another: "friend", "mute", or nothing.
 *
 * @param {Companion} companion
 */
export function playerWindow({ name, avatar, friendship, muted }) {
  const { text, act } = FRIENDSHIP[friendship];
  const body = [
    avatar ? el("img", { class: "portrait-large", src: avatar, alt: "" }) : null,
    text ? paragraph(text) : null,
    muted ? paragraph(MUTED) : null,
  ];
  const choices = [
    { text: muted ? MUTE.off : MUTE.on, value: "mute" },
    ...(act ? [{ text: act, value: "friend", class: "is-main" }] : []),
  ];
  return show(name, body, choices, "player-window");
}
