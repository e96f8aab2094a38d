// @ts-check
// The list of friends follows them while the page is looked at.

const EVERY_MS = 20000;

/** @type {HTMLElement | null} */
const list = document.querySelector("[data-friends]");

async function refresh() {
  // An open row is being used.
  if (!list || document.hidden || list.querySelector("details[open], :focus-within")) return;
  const answer = await fetch(list.dataset.friends ?? "", { credentials: "same-origin" }).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  list.replaceChildren(...page.body.childNodes);
}

setInterval(refresh, EVERY_MS);
document.addEventListener("visibilitychange", refresh);
