// @ts-check
// The boxes of the melding screen: where the groups lie that will be shown or submitted.

import { byId, el, keyed, setText } from "../../shared/dom.js";
import { t } from "../../shared/language.js";
import { mode } from "../layout_modes.js";
import { boxColumns } from "../model/layout.js";

/** @param {import("../model/state.js").Shown} store */
export function renderMelding(store) {
  const melding = store.table.view.phase === "melding" && store.table.can("submit");
  byId("boxes").hidden = !melding;
  document.body.classList.toggle("is-melding", melding);
  const { groups, loose } = store.own.arrangement;
  document.body.classList.toggle("is-all-melded", loose.length === 0 && groups.every((group) => group.melded));
  if (!melding) return;
  const mine = store.table.view.melding_by === store.table.me?.seat;
  setText(byId("boxes-title"), mine ? t("Show your hand") : t("Submit your hand"));
  setText(
    byId("boxes-note"),
    mine
      ? t("Put your groups into the boxes and submit. Tap a box to take it back.")
      : t("A valid show was made. Group what you can: the rest counts."),
  );
  const sizes = store.own.arrangement.groups.filter((group) => group.melded).map((group) => group.cards.length);
  const full = sizes.length;
  byId("boxes-grid").style.gridTemplateColumns = boxColumns(sizes, mode());
  keyed(
    byId("boxes-grid"),
    Array.from({ length: store.table.view.table.max_groups }, (_, place) => place),
    (place) => place,
    () => el("div", { class: "box" }),
    (node, place) => {
      node.classList.toggle("is-full", place < full);
      setText(node, place < full ? "" : String(place + 1));
    },
  );
}
