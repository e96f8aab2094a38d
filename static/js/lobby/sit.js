// The buy-in page: slider beside the number, and a link to copy for friends.
import { joinFields } from "./buy_in.js";

const form = document.querySelector("form[data-buy-in]");
if (form) joinFields(form);

const copy = document.querySelector("[data-copy]");
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const source = document.querySelector("[data-copy-source]");
    source.select();
    try {
      await navigator.clipboard.writeText(source.value);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Press Ctrl C";
    }
  });
}
