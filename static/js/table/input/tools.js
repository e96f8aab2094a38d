// @ts-check
// The fixed buttons of the page: the bar's tools and the piles.

import { byId, icon } from "../../shared/dom.js";
import { change, settings } from "../../shared/settings.js";
import { fairDialog, menuDialog } from "../view/dialogs/menu.js";
import { lastDealDialog, sheetDialog } from "../view/dialogs/sheet.js";
import { toggleDiscards } from "../view/discards.js";

/**
 * @param {import("../model/table.js").Table} table
 * @param {import("./actions.js").Actions} actions
 */
export function wireTools(table, actions) {
  for (const node of document.querySelectorAll("[data-icon]")) node.prepend(icon(node.getAttribute("data-icon") ?? ""));
  const open = {
    sheet: () => sheetDialog(table),
    last: () => lastDealDialog(table),
    discards: () => toggleDiscards(table),
    fair: () => fairDialog(table),
  };
  /** @type {(id: string, run: () => unknown) => void} */
  const onClick = (id, run) => byId(id).addEventListener("click", run);
  /** @type {(id: string, run: () => unknown) => void} */
  const onceSeen = (id, run) => onClick(id, () => table.view && run());
  onClick("closed", () => actions.draw("closed"));
  onClick("open", () => (table.can("draw") ? actions.draw("open") : actions.discard()));
  onClick("finish", () => actions.finish());
  onClick("tool-discards", open.discards);
  onceSeen("tool-sheet", open.sheet);
  onceSeen("tool-last", open.last);
  onceSeen("tool-fair", open.fair);
  onceSeen("tool-menu", () => menuDialog(table, actions, open).then(showSound));
  onceSeen("tool-leave", () => actions.leave());
  onClick("tool-sound", switchSound);
  showSound();
}

function switchSound() {
  change("sound", !settings.sound);
  showSound();
}

function showSound() {
  const tool = byId("tool-sound");
  tool.replaceChildren(icon(settings.sound ? "sound" : "mute"));
  tool.setAttribute("aria-pressed", String(settings.sound));
}
