// @ts-check
// Swagger UI draws the description of the API; this gives what it draws the order that readers go by.

const page = /** @type {HTMLElement} */ (document.getElementById("swagger-ui"));

/** @type {(selector: string, name: string, value: string) => void} */
function give(selector, name, value) {
  for (const each of page.querySelectorAll(selector))
    if (each.getAttribute(name) !== value) each.setAttribute(name, value);
}

function mend() {
  give(".information-container", "role", "banner");
  give(".opblock-tag, .models > h4", "aria-level", "2");
  give(".opblock-body :is(h4, h5)", "aria-level", "3");
  // Each has the same name: as landmarks they lead nowhere.
  give(".responses-inner [role=region], [role=region][id$=_responses]", "role", "group");
  // What scrolls sideways can be scrolled by keys.
  give(".highlight-code > *", "tabindex", "0");
}

new MutationObserver(mend).observe(page, { childList: true, subtree: true });
mend();

export {};
