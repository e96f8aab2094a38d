// @ts-check
// Calls of the HTTP API that change something, as the signed-in player.

import { pageData } from "../dom.js";

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
