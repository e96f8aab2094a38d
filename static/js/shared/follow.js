// @ts-check
// A part of the page becomes what the server draws now, without being drawn anew.

/**
 * Brings a part of the page up to what the server draws now, and leaves what is the same in its place: an open fold, the
 * focus, a link that somebody is about to press.
 *
 * @param {Element} old
 * @param {Element} fresh
 */
export function follow(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name of old.getAttributeNames()) {
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  if (hasOnlyElements(old) && hasOnlyElements(fresh)) followChildren(old, fresh);
  else if (old.innerHTML !== fresh.innerHTML) old.replaceChildren(...fresh.childNodes);
}

/** @param {Element} element */
const hasOnlyElements = ({ childNodes }) =>
  [...childNodes].every((node) => node instanceof Element || !node.textContent?.trim());

/**
 * Children are the same by their id, or else by their place.
 *
 * @param {Element} old
 * @param {Element} fresh
 */
function followChildren(old, fresh) {
  const known = new Map([...old.children].map((child, place) => [child.id || place, child]));
  const wanted = [...fresh.children].map((child, place) => {
    const held = known.get(child.id || place);
    if (held?.tagName !== child.tagName) return child;
    known.delete(child.id || place);
    follow(held, child);
    return held;
  });
  for (const gone of known.values()) gone.remove();
  for (const [place, child] of wanted.entries()) {
    if (old.children[place] === child) continue;
    const stood = /** @type {HTMLElement | null} */ (child.querySelector(":focus"));
    old.insertBefore(child, old.children[place] ?? null);
    stood?.focus({ preventScroll: true });
  }
}
