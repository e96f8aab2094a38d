// @ts-check
// The buy-in page: slider beside the number, and a link to copy or share for friends.

import { t } from "../shared/language.js";
import { find } from "../shared/query.js";
import { joinFields } from "./buy_in.js";

/** @type {HTMLElement | null} */
const form = document.querySelector("form[data-buy-in]");
if (form) joinFields(form);

/** @type {HTMLElement | null} */
const copy = document.querySelector("[data-copy]");
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const source = find(document, "[data-copy-source]", HTMLInputElement);
    source.select();
    try {
      await navigator.clipboard.writeText(source.value);
      copy.textContent = t("Copied");
    } catch {
      copy.textContent = t("Press Ctrl C");
    }
  });
}

/** @type {HTMLElement | null} */
const share = document.querySelector("[data-share]");
if (share && "share" in navigator) {
  share.hidden = false;
  share.addEventListener("click", () => {
    const { value: url } = find(document, "[data-copy-source]", HTMLInputElement);
    // Whoever closes the phone's own window has changed their mind: no fault.
    navigator.share({ title: share.dataset.share, url }).catch(() => null);
  });
}
