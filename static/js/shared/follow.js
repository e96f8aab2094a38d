// @ts-check
// Brings a part of a page up to what the server draws now, and leaves what is the same in its place: an open fold, the
// focus, a link that somebody is about to press.

/**
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
 * Children are the same by their id, or else by their place; new ones come last.
 *
 * @param {Element} old
 * @param {Element} fresh
 */
function followChildren(old, fresh) {
  const known = new Map([...old.children].map((child, place) => [child.id || place, child]));
  [...fresh.children].forEach((child, place) => {
    const held = known.get(child.id || place);
    known.delete(child.id || place);
    if (held?.tagName === child.tagName) follow(held, child);
    else if (held) held.replaceWith(child);
    else old.append(child);
  });
  for (const gone of known.values()) gone.remove();
}
