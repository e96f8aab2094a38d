// As much of a page as what draws one needs: nodes that hold classes, attributes, listeners and text.

class Node {
  constructor(text) {
    this.text = text;
  }
  get outerHTML() {
    return this.text;
  }
  get textContent() {
    return this.text;
  }
}

class Element extends Node {
  constructor(tag) {
    super("");
    Object.assign(this, { tag, nodes: [], attributes: {}, dataset: {}, listeners: {}, className: "", hidden: false });
    this.style = { setProperty: () => undefined };
  }
  get children() {
    return this.nodes.filter((node) => node instanceof Element);
  }
  get childElementCount() {
    return this.children.length;
  }
  get firstChild() {
    return this.nodes[0] ?? null;
  }
  get classList() {
    const names = new Set(this.className.split(" ").filter(Boolean));
    const keep = () => {
      this.className = [...names].join(" ");
    };
    const toggle = (name, on = !names.has(name)) => {
      if (on) names.add(name);
      else names.delete(name);
      keep();
    };
    return { toggle, add: (name) => toggle(name, true), contains: (name) => names.has(name) };
  }
  get textContent() {
    return this.nodes.map((node) => node.textContent).join("");
  }
  set textContent(text) {
    this.replaceChildren(text);
  }
  get outerHTML() {
    const written = Object.entries({ class: this.className, ...this.attributes, ...this.dataset });
    const attributes = written.map(([name, value]) => ` ${name}="${value}"`).join("");
    return `<${this.tag}${attributes}>${this.nodes.map((node) => node.outerHTML).join("")}</${this.tag}>`;
  }
  get id() {
    return this.attributes.id ?? "";
  }
  set id(name) {
    this.attributes.id = name;
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  getAttribute(name) {
    return this.attributes[name] ?? null;
  }
  removeAttribute(name) {
    delete this.attributes[name];
  }
  addEventListener(name, run) {
    this.listeners[name] = run;
  }
  click() {
    this.listeners.click?.();
  }
  append(...nodes) {
    this.#put(this.nodes.length, nodes);
  }
  replaceChildren(...nodes) {
    this.nodes = [];
    this.append(...nodes);
  }
  insertBefore(node, next) {
    node.parent?.nodes.splice(node.parent.nodes.indexOf(node), node.parent.nodes.includes(node) ? 1 : 0);
    this.#put(next ? this.nodes.indexOf(next) : this.nodes.length, [node]);
  }
  before(...nodes) {
    this.parent.#put(this.parent.nodes.indexOf(this), nodes);
  }
  remove() {
    this.parent.nodes = this.parent.nodes.filter((node) => node !== this);
  }
  #put(place, nodes) {
    const put = nodes.map((node) => (node instanceof Node ? node : new Node(String(node))));
    for (const node of put) node.parent = this;
    this.nodes.splice(place, 0, ...put);
  }
  all() {
    return this.children.flatMap((node) => [node, ...node.all()]);
  }
  contains(other) {
    return this === other || this.all().includes(other);
  }
  querySelector(selector) {
    const named = (node) =>
      selector.startsWith(".") ? node.classList.contains(selector.slice(1)) : node.tag === selector;
    return this.all().find(named) ?? null;
  }
}

/** Puts a new page in place: a node for each of these ids, and what else the page says in its `data-`. */
export function newPage(ids, data = {}) {
  const body = new Element("body");
  Object.assign(body.dataset, data);
  for (const id of ids) {
    const node = new Element("div");
    node.attributes.id = id;
    body.append(node);
  }
  const getElementById = (id) => body.all().find((node) => node.id === id) ?? null;
  const createElement = (tag) => new Element(tag);
  const createElementNS = (_space, tag) => createElement(tag);
  globalThis.document = { body, createElement, createElementNS, getElementById, activeElement: null };
  globalThis.HTMLElement = Element;
  globalThis.matchMedia ??= () => ({ matches: false, addEventListener: () => undefined });
  globalThis.getComputedStyle ??= () => ({ getPropertyValue: () => "" });
  globalThis.window = globalThis;
  globalThis.parent = globalThis;
  globalThis.addEventListener ??= () => undefined;
  return getElementById;
}
