// @ts-check
// What the page says about people: whole sentences, all in one place.

import { t } from "../../shared/language.js";

export const SAY = t("Say something");
export const ABOUT = t("Players see it at your seat. It is not saved.");

/** @type {(name: string) => string} */
export const aboutPlayer = (name) => t("About {name}", { name });
/** @type {(name: string, text: string) => string} */
export const saidBy = (name, text) => `${name}: ${text}`;

export const FRIENDSHIP = {
  "": { text: "", act: t("Ask to be friends") },
  asked: { text: t("You have asked to be friends."), act: "" },
  asks: { text: t("Asks you to be friends."), act: t("Accept as a friend") },
  friends: { text: t("You are friends."), act: "" },
};

export const MUTE = { on: t("Mute"), off: t("Unmute") };
export const MUTED = t("You do not see what they say, here or at any other table.");
export const FAILED = t("That did not work. Please try again.");
