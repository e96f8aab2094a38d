// @ts-check
// What stands over the result once its reader has lost the seat.

import { el } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { chips } from "../../../shared/words.js";

/** @param {import("./shown.js").Panel} panel */
export function seatedOut({ out, table }) {
  const why = out?.unready ? t("You did not continue in time, so your seat was given up. ") : "";
  const text =
    table.practice && !document.body.dataset.series
      ? t("{why}Another practice table is a tap away.", { why })
      : `${why}${whatIsLeft(out, table)}`;
  return el("section", { class: "prompt" }, el("p", { role: "alert", text }));
}

/** @type {(out: import("./shown.js").Panel["out"], table: import("../../../shared/types.js").TableView) => string} */
const whatIsLeft = (out, table) =>
  out?.returned
    ? t("{returned} are in your balance again.", { returned: chips(out.returned, table.money) })
    : t("Your seat is free for others.");
