// @ts-check
// What stands over the result once its reader has lost the seat.

import { el } from "../../dom.js";
import { t } from "../../language.js";
import { chips } from "../../words.js";

/** @param {import("./shown.js").Panel} panel */
export function seatedOut({ out, table }) {
  const why = out?.unready ? t("You did not continue in time, so your seat was given up. ") : "";
  const text =
    table.practice && !document.body.dataset.series
      ? t("{why}Another practice table is a tap away.", { why })
      : `${why}${whatIsLeft(out, table)}`;
  return el("section", { class: "prompt" }, el("p", { role: "alert", text }));
}

/** @type {(out: import("./shown.js").Panel["out"], table: import("../../types.js").TableView) => string} */
const whatIsLeft = (out, table) =>
  out?.returned
    ? t("{returned} are in your balance again.", { returned: chips(out.returned, table.money) })
    : t("Your seat is free for others.");
