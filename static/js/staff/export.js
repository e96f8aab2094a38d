// How far an export is while the server writes it: the file itself comes by the form, with or without this page module.

const EVERY_MS = 400;
const form = document.getElementById("export");
const place = document.getElementById("export-progress");
const bar = place.querySelector("progress");
const told = place.querySelector("[role=status]");
const button = form.querySelector("[type=submit]");
let watching = 0;

form.addEventListener("submit", () => {
  const ticket = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));
  form.elements.ticket.value = ticket.join("");
  place.hidden = false;
  bar.removeAttribute("value");
  say("The rows are being counted.");
  // Not before the browser has read the form.
  setTimeout(() => {
    button.disabled = true;
  });
  watch(form.elements.ticket.value);
});

// Whoever comes back to the page may ask again.
addEventListener("pageshow", () => {
  button.disabled = false;
});

function watch(ticket) {
  clearInterval(watching);
  watching = setInterval(async () => {
    const known = await ask(ticket);
    if (known === null || known.rows === undefined || ticket !== form.elements.ticket.value) return;
    bar.max = Math.max(known.of, 1);
    bar.value = known.of ? known.rows : 1;
    if (known.rows < known.of) {
      say(`${grouped(known.rows)} of ${grouped(known.of)} rows written.`);
      return;
    }
    clearInterval(watching);
    button.disabled = false;
    say(`All ${grouped(known.of)} rows are written: your browser receives the file.`);
  }, EVERY_MS);
}

async function ask(ticket) {
  try {
    const answer = await fetch(`${form.dataset.progress}?ticket=${ticket}`, { redirect: "error" });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // Asked again in a moment.
  }
}

function grouped(rows) {
  return rows.toLocaleString("en-IN");
}

function say(text) {
  if (told.textContent !== text) told.textContent = text;
}
