// @ts-check
// The link to a deal can be copied, or handed to the phone's own sharing.

import { t } from "../shared/language.js";

/** Offers it where the page has a link. */
export function offerCopy() {
  const link = /** @type {HTMLInputElement | null} */ (document.getElementById("share-link"));
  const button = document.getElementById("copy");
  const status = document.getElementById("copied");
  if (!link || !button || !status) return;
  const phone = typeof navigator.share === "function";
  button.textContent = phone ? t("Share") : t("Copy");
  button.hidden = false;
  link.addEventListener("focus", () => link.select());
  button.addEventListener("click", async () => {
    try {
      if (phone) await navigator.share({ url: link.value });
      else {
        await navigator.clipboard.writeText(link.value);
        status.textContent = t("Copied.");
      }
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      link.focus();
      status.textContent = t("Copy the marked link.");
    }
  });
}
