// @ts-check
// Small comforts on every page. Without this file everything still works.
document.documentElement.classList.add("has-js");

/** @type {(text: string) => string} */
const say = /** @type {{gettext?: (text: string) => string}} */ (globalThis).gettext ?? ((text) => text);

// A password field can be shown while it is typed.
for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[type=password]"))) {
  const box = document.createElement("div");
  box.className = "password";
  input.replaceWith(box);
  const toggle = document.createElement("button");
  toggle.type = "button";
  toggle.className = "password__toggle";
  toggle.textContent = say("Show");
  toggle.setAttribute("aria-label", say("Show the password"));
  toggle.addEventListener("click", () => {
    const shown = input.type === "password";
    input.type = shown ? "text" : "password";
    toggle.textContent = shown ? say("Hide") : say("Show");
    toggle.setAttribute("aria-label", shown ? say("Hide the password") : say("Show the password"));
    input.focus();
  });
  box.append(input, toggle);
}

// The menu closes by a click elsewhere and by Escape.
for (const menu of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details.menu"))) {
  document.addEventListener("click", (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }
  });
}

// A form is sent once, however often it is clicked; but a file may be taken again.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post" || event.defaultPrevented) return;
  if (form.dataset.download !== undefined) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
});

// An answer of staff has been read once its page is seen, so that the notice of it is put away without a press.
/** @type {HTMLFormElement | null} */
const answered = document.querySelector("form[data-read]");
if (answered) {
  answered.hidden = true;
  requestAnimationFrame(async () => {
    const sent = { method: "POST", body: new FormData(answered), redirect: /** @type {const} */ ("manual") };
    const put = await fetch(answered.action, sent).catch(() => null);
    answered.hidden = put?.type === "opaqueredirect";
  });
}

// Back from the table by the browser's own button: balance and seat may have changed meanwhile.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// A form that comes back shows first what is wrong in it, however far down it stands.
/** @type {HTMLElement | null} */
const wrong = document.querySelector("[aria-invalid=true]");
if (wrong) wrong.focus();
else document.querySelector("form .form-error")?.scrollIntoView({ block: "center" });

// Where the browser offers to install the app, a button says so; it asks once for each offer.
/** @type {HTMLButtonElement | null} */
const install = document.querySelector("[data-install]");
/** @typedef {Event & {prompt: () => Promise<unknown>}} InstallOffer */
addEventListener("beforeinstallprompt", (event) => {
  if (!install) return;
  event.preventDefault();
  install.hidden = false;
  install.onclick = () => {
    install.hidden = true;
    /** @type {InstallOffer} */ (event).prompt().catch(() => undefined);
  };
});
addEventListener("appinstalled", () => {
  if (install) install.hidden = true;
});
