// @ts-check
// The one place where the page keeps what it knows: the table as the server told of it, and what is the page's own.

import { Interface } from "./interface.js";
import { Table } from "./table.js";

/** @import { StateFrame } from "../../shared/types.js" */
/** @import { Link, ShownTable } from "./table.js" */

/**
 * What has changed: a new "view", the "link", the "mode" of the room, or something "local".
 *
 * @typedef {"view" | "link" | "mode" | "local"} Change
 */

/**
 * A store that has seen its first view: everything that draws is given one.
 *
 * @typedef {Store & {table: ShownTable}} Shown
 */

export class Store {
  constructor() {
    this.table = new Table();
    this.own = new Interface(() => this.changed("local"));
    /** @type {((what: Change) => void)[]} */
    this.listeners = [];
  }

  /** @param {(what: Change) => void} listener */
  subscribe(listener) {
    this.listeners.push(listener);
  }

  /** @param {Change} what */
  changed(what) {
    for (const listener of this.listeners) listener(what);
  }

  /** @param {Pick<StateFrame, "version" | "events" | "view">} frame */
  take(frame) {
    const before = this.table.view;
    if (!this.table.take(frame)) return;
    this.own.follow(/** @type {ShownTable} */ (this.table), before);
    this.changed("view");
  }

  /** @param {Link} status */
  setLink(status) {
    this.table.setLink(status);
    this.changed("link");
  }

  /**
   * Nothing can be done until a state frame says otherwise.
   *
   * @param {"stopped" | "waiting"} why
   */
  halt(why) {
    this.table.halted = why;
    this.changed("link");
  }
}
