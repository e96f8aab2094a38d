// @ts-check
// Where the replay stands, and its going on by itself: knows no page, so that it can be tried without one.

/** How long one step is shown at single speed, in milliseconds. */
const PACE = 1200;

export class Player {
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;

  /**
   * @param {number} count of steps
   * @param {number} at the step to begin with
   * @param {() => void} changed is told of every change
   */
  constructor(count, at, changed) {
    this.last = count - 1;
    this.at = this.#within(at);
    this.speed = 1;
    this.changed = changed;
  }

  get playing() {
    return this.#timer !== null;
  }

  /** @param {number} step */
  goTo(step) {
    this.at = this.#within(step);
    if (this.at === this.last) this.pause();
    else if (this.playing) this.#goOn();
    this.changed();
  }

  /** One step more: who stood at the end goes along. */
  grow() {
    const follows = this.at === this.last;
    this.last += 1;
    if (follows) this.goTo(this.last);
    else this.changed();
  }

  /** @type {(count: number, at: number) => void} Another deal. */
  restart(count, at) {
    this.last = count - 1;
    this.move(at - this.at);
  }

  /** @param {number} by */
  move(by) {
    this.pause();
    this.goTo(this.at + by);
  }

  /** From the end it begins again. */
  toggle() {
    if (this.playing) this.pause();
    else {
      if (this.at === this.last) this.at = 0;
      this.#goOn();
    }
    this.changed();
  }

  pause() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    if (this.playing) this.#goOn();
  }

  #goOn() {
    this.pause();
    this.#timer = setTimeout(() => this.goTo(this.at + 1), PACE / this.speed);
  }

  /** @param {number} step */
  #within(step) {
    return Math.min(Math.max(step, 0), this.last);
  }
}
