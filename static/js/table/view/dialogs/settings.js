// @ts-check
// The settings sheet: calls, cards, looks. Every change shows at once, and is kept on this device.

import { el, setText } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { allow, canBuzz, canNotify, isAllowed } from "../../../shared/notices.js";
import { change, settings } from "../../../shared/settings.js";
import { show } from "./window.js";

/** @import { Settings } from "../../../shared/settings.js" */
/** @typedef {"sound" | "vibrate" | "notices" | "doubleTap" | "fourColours" | "largeCards"} Switch */
/** @typedef {"look" | "felt" | "deck"} Choice */

const REFUSED = t("Your browser blocks notices. You can allow them in its settings for this site.");
/** @type {[string, string][]} */
const LOOKS = [
  ["dark", t("Dark")],
  ["light", t("Light")],
  ["device", t("As the device")],
];
/** @type {[string, string][]} */
const FELTS = [
  ["green", t("Green")],
  ["blue", t("Blue")],
  ["wine", t("Wine")],
  ["slate", t("Slate")],
];
/** @type {[string, string][]} */
const DECKS = [
  ["red", t("Red")],
  ["blue", t("Blue")],
  ["green", t("Green")],
  ["violet", t("Violet")],
];

export function settingsDialog() {
  const refused = el("p", { class: "fine", role: "status" });
  const notices = box(t("Notices while you look elsewhere"), "notices", async (input) => {
    if (!input.checked || (await allow())) return;
    input.checked = false;
    change("notices", false);
    setText(refused, REFUSED);
  });
  const body = [
    section(
      t("Calls"),
      box(t("Sounds"), "sound"),
      canBuzz() ? box(t("Vibration"), "vibrate") : null,
      canNotify() ? notices : null,
      refused,
    ),
    section(
      t("Cards"),
      box(t("Four colours"), "fourColours"),
      box(t("Larger cards"), "largeCards"),
      box(t("A double tap discards"), "doubleTap"),
      choices(t("Backs"), "deck", DECKS),
    ),
    section(t("Table"), choices(t("Felt"), "felt", FELTS), choices(t("Look"), "look", LOOKS)),
    el("p", { class: "fine", text: t("Kept on this device.") }),
  ];
  return show(t("Settings"), body, [], "settings-window");
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
