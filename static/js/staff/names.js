// @ts-check
// Fields that name a player propose names while one types. The browser's own list of proposals takes the keys.

const WAIT_MS = 200;
const SHORTEST = 2;

for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[data-names]"))) {
  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => propose(field), WAIT_MS);
  });
}

/** @param {HTMLInputElement} field */
async function propose(field) {
  const typed = field.value.trim();
  if (typed.length < SHORTEST || !field.list) return;
  try {
    const answer = await fetch(`${field.dataset.names}?q=${encodeURIComponent(typed)}`, { redirect: "error" });
    if (!answer.ok || typed !== field.value.trim()) return;
    const { players } = await answer.json();
    field.list.replaceChildren(
      ...players.map((/** @type {{name: string, shown: string}} */ each) => new Option(each.shown, each.name)),
    );
  } catch {
    // Without proposals the field works as it did.
  }
}
