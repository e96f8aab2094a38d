// @ts-check
// The page of an analysis at work: it asks how far it is, and shows the story once it is done.

/** Milliseconds between two looks. */
const LOOK_EVERY = 2_500;
const live = /** @type {HTMLElement} */ (document.getElementById("live"));

/** Brings what has changed onto the page. */
async function look() {
  const answer = document.hidden ? null : await fetch(live.dataset.live ?? "").catch(() => null);
  if (!answer?.ok || answer.redirected) return again();
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const part = fresh.querySelector("[data-state]");
  if (part?.getAttribute("data-state") === "working") {
    follow(part);
    return again();
  }
  live.replaceChildren(...fresh.body.children);
}

/** Puts the figures of the fresh part into the one that lies there, so that nothing jumps and nothing loses the focus.
 *
 * @param {Element} part
 */
function follow(part) {
  const [bar, freshBar] = [live.querySelector("progress"), part.querySelector("progress")];
  if (bar && freshBar) bar.value = freshBar.value;
  const [told, freshTold] = [live.querySelector("[role=status]"), part.querySelector("[role=status]")];
  if (told && freshTold && told.textContent !== freshTold.textContent) told.textContent = freshTold.textContent;
}

function again() {
  setTimeout(look, LOOK_EVERY);
}

again();

export {};
