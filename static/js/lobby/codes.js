// @ts-check
// The page that shows recovery codes once: copy them, or print them.
import { t } from "../shared/language.js";

/** @type {HTMLElement | null} */
const copy = document.querySelector("[data-copy-codes]");
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const codes = [...document.querySelectorAll("[data-code]")].map((code) => code.textContent);
    try {
      await navigator.clipboard.writeText(codes.join("\n"));
      copy.textContent = t("Copied");
    } catch {
      copy.textContent = t("Press Ctrl C");
    }
  });
}

/** @type {HTMLElement | null} */
const print = document.querySelector("[data-print]");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}
