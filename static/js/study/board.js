// @ts-check
// The board answers in place: a button sends its form and the answer takes the place of the page's content, so that
// nothing scrolls away and the focus stays. Without this script each answer is a page of its own.

const page = () => /** @type {HTMLElement} */ (document.getElementById("board-page"));

/** @param {SubmitEvent} event */
async function send(event) {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !page().contains(form)) return;
  event.preventDefault();
  if (page().getAttribute("aria-busy") === "true") return;
  page().setAttribute("aria-busy", "true");
  const fields = new FormData(form, event.submitter);
  const answer = await fetch(form.action.split("#")[0], { method: "POST", body: fields }).catch(() => null);
  page().removeAttribute("aria-busy");
  const fresh =
    answer && new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("board-page");
  if (!fresh) {
    form.submit();
    return;
  }
  show(fresh, pressed(event.submitter));
}

/** @type {(button: HTMLElement | null) => string} A selector of where the focus stays: no move is made by a second press. */
function pressed(button) {
  const label = button?.getAttribute("aria-label");
  if (label) return `button[aria-label="${CSS.escape(label)}"]:not([disabled])`;
  if (button?.closest(".told")) return ".told [aria-current] button";
  if (button?.closest(".board__steps")) return "button[value=show]";
  return ".board__moves button, .board__steps button:not([disabled])";
}

/** @type {(fresh: HTMLElement, wanted: string) => void} */
function show(fresh, wanted) {
  const open = new Set([...page().querySelectorAll("details[open]")].map((each) => each.className));
  page().replaceChildren(...document.importNode(fresh, true).childNodes);
  for (const each of page().querySelectorAll("details")) each.open ||= open.has(each.className);
  const fault = document.getElementById("fault");
  if (fault) {
    fault.tabIndex = -1;
    fault.focus();
    return;
  }
  const next = page().querySelector(wanted) ?? page().querySelector(".board__steps button:not([disabled])");
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

document.addEventListener("submit", send);

export {};
