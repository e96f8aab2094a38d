// @ts-check
// The settings sheet: calls, cards, looks. Every change shows at once, and is kept on this device.

import { el, setText } from "../../dom.js";
import { allow, canBuzz, canNotify, isAllowed } from "../../notices.js";
import { change, settings } from "../../settings.js";
import { show } from "./window.js";

/** @typedef {import("../../settings.js").Settings} Settings */
/** @typedef {"sound" | "vibrate" | "notices" | "doubleTap" | "fourColours" | "largeCards"} Switch */
/** @typedef {"look" | "felt" | "deck"} Choice */

const REFUSED = "Your browser does not let us. It can be allowed in its settings for this site.";
/** @type {[string, string][]} */
const LOOKS = [
  ["dark", "Dark"],
  ["light", "Light"],
  ["device", "As the device"],
];
/** @type {[string, string][]} */
const FELTS = [
  ["green", "Green"],
  ["blue", "Blue"],
  ["wine", "Wine"],
  ["slate", "Slate"],
];
/** @type {[string, string][]} */
const DECKS = [
  ["red", "Red"],
  ["blue", "Blue"],
  ["green", "Green"],
  ["violet", "Violet"],
];

export function settingsDialog() {
  const refused = el("p", { class: "fine", role: "status" });
  const notices = box("Notices while you look elsewhere", "notices", async (input) => {
    if (!input.checked || (await allow())) return;
    input.checked = false;
    change("notices", false);
    setText(refused, REFUSED);
  });
  const body = [
    section(
      "Calls",
      box("Sounds", "sound"),
      canBuzz() ? box("Buzzing", "vibrate") : null,
      canNotify() ? notices : null,
      refused,
    ),
    section(
      "Cards",
      box("Four colours", "fourColours"),
      box("Larger cards", "largeCards"),
      box("A double tap discards", "doubleTap"),
      choices("Backs", "deck", DECKS),
    ),
    section("Table", choices("Felt", "felt", FELTS), choices("Look", "look", LOOKS)),
    el("p", { class: "fine", text: "Kept on this device." }),
  ];
  return show("Settings", body, [], "settings-window");
}

/** @type {(title: string, ...rows: (HTMLElement | null)[]) => HTMLElement} */
function section(title, ...rows) {
  return el("section", { class: "settings" }, el("h3", { text: title }), ...rows);
}

/** @type {(text: string, key: Switch, changed?: (input: HTMLInputElement) => unknown) => HTMLElement} */
function box(text, key, changed = () => undefined) {
  const onchange = () => {
    change(key, input.checked);
    changed(input);
  };
  const input = el("input", { type: "checkbox", id: `set-${key}`, onchange });
  input.checked = settings[key] && (key !== "notices" || isAllowed());
  return el("label", { class: "menu-row", for: `set-${key}` }, el("span", { text }), input);
}

/** @type {(title: string, key: Choice, values: [string, string][]) => HTMLElement} */
function choices(title, key, values) {
  const options = values.map(([value, text]) => {
    const onchange = () => change(key, /** @type {Settings[Choice]} */ (value));
    const input = el("input", { type: "radio", name: key, value, onchange });
    input.checked = settings[key] === value;
    return el("label", { class: `choice choice-${key}-${value}` }, input, el("span", { text }));
  });
  return el("fieldset", { class: "choices" }, el("legend", { text: title }), ...options);
}
