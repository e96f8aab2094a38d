// @ts-check
// What waits for the player's answer, brought onto an open page when the server says that there is news.

/**
 * Shows what is there now; a page without a place for it shows nothing.
 *
 * @param {string} [address]
 */
export async function showNews(address = "/news/") {
  const place = document.getElementById("news");
  if (!place) return;
  const answer = await fetch(address, { credentials: "same-origin" }).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const next of page.querySelectorAll("input[name=next]")) next.setAttribute("value", location.pathname);
  place.replaceChildren(...page.body.childNodes);
}

/** Lets the player answer without leaving the page. */
export function answerQuietly() {
  document.getElementById("news")?.addEventListener("submit", async (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    event.preventDefault();
    const body = new FormData(form, event.submitter);
    await fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => null);
    showNews();
  });
}
