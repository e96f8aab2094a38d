// @ts-check
// The exercises of the rules without a page load: the server judges, its verdict is taken over.

import { t } from "../shared/language.js";
import { find } from "../shared/query.js";

for (const form of document.querySelectorAll("form[data-exercise]")) {
  if (form instanceof HTMLFormElement) wire(form);
}

/** @param {HTMLFormElement} form */
function wire(form) {
  let latest = 0;
  const verdict = find(form, "[data-verdict]", HTMLElement);
  form.addEventListener("change", () => {
    latest++;
    verdict.textContent = "";
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const request = ++latest;
    const query = new URLSearchParams(
      [...new FormData(form)].map(([name, value]) => /** @type {[string, string]} */ ([name, String(value)])),
    );
    try {
      const answer = await fetch(`${location.pathname}?${query}`, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (request !== latest) return;
      const judged = find(page, `#${query.get("exercise")} [data-verdict]`, HTMLElement);
      verdict.className = judged.className;
      verdict.textContent = judged.textContent || t("Touch the cards first.");
    } catch {
      form.submit();
    }
  });
}
