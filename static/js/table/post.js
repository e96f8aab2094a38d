// @ts-check
// What changes something on the server beside the game, as the signed-in player: calls of the HTTP API, and forms.

import { el, pageData } from "../shared/dom.js";
import { isFramed } from "./parent_page.js";

/**
 * Whether it was done; if not, `message` says why where the server could.
 *
 * @param {string} address
 * @param {object} content
 * @returns {Promise<{ok: boolean, message?: string}>}
 */
export async function postJson(address, content) {
  const headers = { "Content-Type": "application/json", "X-CSRFToken": pageData("csrf") };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(content) }).catch(() => null);
  if (answer?.ok) return { ok: true };
  return { ok: false, message: (await answer?.json().catch(() => null))?.message };
}

/**
 * Sends a form, whose answer is a page of its own: in place of the page around, where this table stands in a frame.
 *
 * @type {(action: string, fields?: Record<string, string | number>) => void}
 */
export function postForm(action, fields = {}) {
  const sent = Object.entries({ csrfmiddlewaretoken: pageData("csrf"), ...fields });
  const inputs = sent.map(([name, value]) => el("input", { type: "hidden", name, value }));
  const form = el("form", { method: "post", action, target: isFramed() && "_parent", hidden: true }, ...inputs);
  document.body.append(form);
  form.submit();
}
