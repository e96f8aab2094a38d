// @ts-check
// Sounds made on the spot: no files. They start only after the player has touched the page once, as browsers demand.

import { settings } from "./settings.js";

/** @type {AudioContext | null} */
let context = null;
let touched = false;

/** A table in a frame calls also where the player has touched only the one beside it. */
const isTouched = () => touched || Boolean(window.parent.navigator.userActivation?.hasBeenActive);

/** @returns {Promise<AudioContext | null>} */
async function ready() {
  if (!settings.sound || !isTouched()) return null;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") await context.resume();
    return context;
  } catch {
    return null;
  }
}

for (const type of ["pointerdown", "keydown"]) addEventListener(type, wake, { capture: true, passive: true });

function wake() {
  touched = true;
  ready();
}

/**
 * @typedef {Object} Tone
 * @property {number} [at] ms from now
 * @property {number} hertz
 * @property {number} ms
 * @property {number} [loud]
 * @property {OscillatorType} [type]
 *
 * @param {AudioContext} audio
 * @param {Tone} tone
 */
function tone(audio, { at = 0, hertz, ms, loud = 0.12, type = "sine" }) {
  const start = audio.currentTime + at / 1000;
  const oscillator = audio.createOscillator();
  const gain = audio.createGain();
  oscillator.type = type;
  oscillator.frequency.setValueAtTime(hertz, start);
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(loud, start + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.0005, start + ms / 1000);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + ms / 1000 + 0.05);
}

/**
 * A short rustle: filtered noise, like a card on felt.
 *
 * @param {AudioContext} audio
 * @param {Partial<Omit<Tone, "type">>} [noise]
 */
function rustle(audio, { at = 0, ms = 70, hertz = 2600, loud = 0.16 } = {}) {
  const start = audio.currentTime + at / 1000;
  const length = Math.ceil((audio.sampleRate * ms) / 1000);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const data = buffer.getChannelData(0);
  for (let place = 0; place < length; place += 1) data[place] = (Math.random() * 2 - 1) * (1 - place / length) ** 2;
  const source = audio.createBufferSource();
  const filter = audio.createBiquadFilter();
  const gain = audio.createGain();
  source.buffer = buffer;
  filter.type = "bandpass";
  filter.frequency.value = hertz;
  gain.gain.value = loud;
  source.connect(filter).connect(gain).connect(audio.destination);
  source.start(start);
}

/** @type {Record<"deal" | "card" | "turn" | "start" | "hurry" | "second" | "extra" | "won" | "over", (audio: AudioContext) => void>} */
const SOUNDS = {
  deal: (audio) => {
    for (let place = 0; place < 13; place += 1)
      rustle(audio, { at: place * 48, ms: 46, hertz: 2300 + (place % 3) * 260, loud: 0.13 });
  },
  card: (audio) => rustle(audio),
  turn: (audio) => {
    tone(audio, { hertz: 659, ms: 190 });
    tone(audio, { at: 130, hertz: 880, ms: 300 });
  },
  start: (audio) => {
    for (const [place, hertz] of [523, 659, 784].entries()) tone(audio, { at: place * 110, hertz, ms: 220 });
  },
  hurry: (audio) => {
    for (const at of [0, 140, 280]) tone(audio, { at, hertz: 988, ms: 110, type: "triangle" });
  },
  second: (audio) => tone(audio, { hertz: 1180, ms: 70, loud: 0.08, type: "triangle" }),
  extra: (audio) => {
    tone(audio, { hertz: 520, ms: 140, type: "triangle" });
    tone(audio, { at: 170, hertz: 520, ms: 140, type: "triangle" });
  },
  won: (audio) => {
    for (const [place, hertz] of [523, 659, 784, 1047].entries()) tone(audio, { at: place * 120, hertz, ms: 380 });
  },
  over: (audio) => {
    for (const [place, hertz] of [440, 349].entries()) tone(audio, { at: place * 170, hertz, ms: 320, loud: 0.09 });
  },
};

const CALLING = new Set(["turn", "start", "hurry", "extra"]);

/**
 * Plays a sound; to who looks elsewhere only what calls them.
 *
 * @param {keyof typeof SOUNDS} name
 */
export async function play(name) {
  const audio = document.hidden && !CALLING.has(name) ? null : await ready();
  if (audio) SOUNDS[name](audio);
}
