// @ts-check
// Where every card of the hand lies. Pure geometry: cards as large as the room allows, indexes always readable.

/** @import { Card } from "../../shared/types.js" */
/** @typedef {{x: number, y: number, w: number, h: number}} Box */
/** @typedef {{x: number, y: number, w: number, z?: number}} Place */

/**
 * Cards that lie together: a group by its number, or the loose ones.
 *
 * @typedef {Object} Segment
 * @property {number | "loose"} key
 * @property {Card[]} cards
 * @property {number} [from] the place of its first card, where loose cards lie in two rows
 * @property {boolean} [melded]
 * @property {import("./arrangement.js").Verdict | null} [verdict]
 */

/**
 * What is drawn behind a segment.
 *
 * @typedef {Segment & Box & {from: number, step?: number, inBox?: boolean}} Tray
 * @typedef {{w: number, step: number, cards: Map<Card, Place>, trays: Tray[]}} Layout
 */

/**
 * The measures of a room, in px: around groups, between them and between rows, of labels, of the lift of a selected
 * card, below cards, of the widest card; how far apart cards should be where fingers touch them; in a low room the hand
 * lies at the top.
 *
 * @typedef {Object} Shape
 * @property {number} pad
 * @property {number} gap
 * @property {number} rowGap
 * @property {number} label
 * @property {number} lift
 * @property {number} foot
 * @property {number} most
 * @property {number} [touch]
 * @property {boolean} [low]
 */

/**
 * How large cards are and how far apart, for rows no wider than `limit`.
 *
 * @typedef {{w: number, step: number, limit: number, shape: Shape}} Measure
 */

const RATIO = 1.4;
/** The part of a card that must stay in sight when the next one lies on it: its index. */
const LEAST_STEP = 0.415;
const BEST_STEP = 0.66;

/**
 * @param {Segment[]} row
 * @param {Omit<Measure, "limit">} measure
 */
function widthOf(row, { w, step, shape }) {
  const cards = row.reduce((sum, segment) => sum + w + (segment.cards.length - 1) * step + 2 * shape.pad, 0);
  return cards + (row.length - 1) * shape.gap;
}

/**
 * Splits the segments into at most `rows` rows; loose cards may be split, groups never.
 *
 * @param {Segment[]} segments
 * @param {number} rows
 * @param {Measure} measure
 */
function split(segments, rows, measure) {
  /** @type {Segment[][]} */
  const result = [[]];
  const waiting = [...segments];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const row = result[result.length - 1];
    const [fitting, rest] = fitted(next, row, measure);
    if (fitting) row.push(fitting);
    if (!rest) continue;
    if (row.length === 0 || result.length === rows) return null;
    waiting.unshift(rest);
    result.push([]);
  }
  return result.filter((row) => row.length > 0);
}

/**
 * [what of the segment still fits into the row, what does not]; either may be null.
 *
 * @param {Segment} segment
 * @param {Segment[]} row
 * @param {Measure} measure
 * @returns {[Segment | null, Segment | null]}
 */
function fitted(segment, row, measure) {
  if (widthOf([...row, segment], measure) <= measure.limit) return [segment, null];
  const fits = segment.key === "loose" ? roomFor(row, measure) : 0;
  if (fits < 2 || fits >= segment.cards.length) return [null, segment];
  const rest = { ...segment, cards: segment.cards.slice(fits), from: (segment.from ?? 0) + fits };
  return [{ ...segment, cards: segment.cards.slice(0, fits) }, rest];
}

/**
 * How many loose cards still fit into the row.
 *
 * @param {Segment[]} row
 * @param {Measure} measure
 */
function roomFor(row, { w, step, limit, shape }) {
  const used = row.length ? widthOf(row, { w, step, shape }) + shape.gap : 0;
  return Math.floor((limit - used - 2 * shape.pad - w) / step) + 1;
}

/**
 * As even as possible: the narrowest limit that still fits `rows` rows looks tidy and leaves room to spread.
 *
 * @param {Segment[]} segments
 * @param {number} rows
 * @param {Measure} measure
 */
function balanced(segments, rows, measure) {
  let best = split(segments, rows, measure);
  if (!best || rows === 1) return best;
  let low = 0;
  let high = measure.limit;
  for (let turn = 0; turn < 9; turn += 1) {
    const middle = (low + high) / 2;
    const found = split(segments, rows, { ...measure, limit: middle });
    if (found) [best, high] = [found, middle];
    else low = middle;
  }
  return best;
}

/**
 * The largest cards with which so many rows do; and, where fingers touch them, the largest that lie far enough apart.
 *
 * @param {Segment[]} segments
 * @param {Box} region
 * @param {number} rows
 * @param {Shape} shape
 */
function attempts(segments, region, rows, shape) {
  const tall = (region.h - (rows - 1) * shape.rowGap) / rows - shape.label - shape.lift - shape.foot;
  const steps = shape.touch ? [0, shape.touch] : [0];
  return steps.flatMap((least) => {
    for (let w = Math.min(shape.most, tall / RATIO); w > Math.max(16, least); w *= 0.965) {
      const step = Math.max(w * LEAST_STEP, least);
      const found = balanced(segments, rows, { w, step, limit: region.w, shape });
      if (found) return [{ rows: found, w, step: spread({ rows: found, w }, region, shape) }];
    }
    return [];
  });
}

/**
 * How far apart the cards may lie in the fullest row.
 *
 * @param {{rows: Segment[][], w: number}} found
 * @param {Box} region
 * @param {Shape} shape
 */
function spread(found, region, shape) {
  const most = Math.min(
    ...found.rows.map((row) => {
      const overlaps = row.reduce((sum, segment) => sum + segment.cards.length - 1, 0);
      return overlaps === 0 ? Infinity : (region.w - widthOf(row, { w: found.w, step: 0, shape })) / overlaps;
    }),
  );
  return Math.min(most, Math.max(found.w * BEST_STEP, shape.touch ?? 0));
}

/**
 * Places the cards of the segments in the region: as large and as far apart as they fit, in three rows at most.
 *
 * @param {Segment[]} segments
 * @param {Box} region
 * @param {Shape} shape
 * @returns {Layout}
 */
export function layHand(segments, region, shape) {
  const full = segments.filter((segment) => segment.cards.length > 0);
  const tries = (full.length === 0 ? [] : [1, 2, 3]).flatMap((rows) => attempts(full, region, rows, shape));
  if (tries.length === 0) return { w: 60, step: 30, cards: new Map(), trays: [] };
  return place(
    tries.reduce((most, one) => (worth(one, shape) > worth(most, shape) ? one : most)),
    region,
    shape,
  );
}

/**
 * What the eye wants most is a readable index. Where fingers touch the cards, room for them counts more, and no card
 * should be smaller than a fingertip.
 *
 * @type {(laid: {w: number, step: number}, shape: Shape) => number}
 */
const worth = ({ w, step }, { touch }) =>
  touch ? Math.min(step, touch) * 6 + w * 0.7 - Math.max(0, touch - w) * 8 : Math.min(step, w * 0.5) * 2 + w * 0.35;

/**
 * @param {{rows: Segment[][], w: number, step: number}} laid
 * @param {Box} region
 * @param {Shape} shape
 * @returns {Layout}
 */
function place({ rows, w, step }, region, shape) {
  const h = w * RATIO;
  const rowHeight = shape.lift + h + shape.foot + shape.label;
  const tall = rows.length * rowHeight + (rows.length - 1) * shape.rowGap;
  const cards = new Map();
  /** @type {Tray[]} */
  const trays = [];
  let y = region.y + Math.max(0, (region.h - tall) / (shape.low ? 1 : 2));
  for (const row of rows) {
    let x = region.x + (region.w - widthOf(row, { w, step, shape })) / 2;
    for (const segment of row) {
      const wide = w + (segment.cards.length - 1) * step + 2 * shape.pad;
      trays.push({
        ...segment,
        from: segment.from ?? 0,
        x,
        y: y + shape.lift - shape.foot,
        w: wide,
        h: h + 2 * shape.foot + shape.label,
      });
      for (const [order, card] of segment.cards.entries()) {
        cards.set(card, { x: x + shape.pad + order * step, y: y + shape.lift, z: cards.size + 1, w });
      }
      x += wide + shape.gap;
    }
    y += rowHeight + shape.rowGap;
  }
  return { w, step, cards, trays };
}

/**
 * How wide the columns of the boxes are, for groups of these sizes: on a small screen as the fullest box needs.
 *
 * @param {number[]} sizes
 * @param {import("./places.js").Mode} mode
 */
export function boxColumns(sizes, mode) {
  if (mode === "wide") return "";
  const columns = mode === "low" ? 6 : 2;
  /** @type {(count: number) => number} */
  const need = (count) => 1 + (Math.max(count, 3) - 1) * LEAST_STEP;
  const empty = mode === "low" ? 0.7 : 0;
  const widths = Array.from({ length: columns }, (_, column) => {
    const here = sizes.filter((_size, order) => order % columns === column);
    return here.length > 0 ? Math.max(...here.map(need)) : empty || need(0);
  });
  return widths.map((width) => `minmax(0, ${width.toFixed(3)}fr)`).join(" ");
}

/**
 * Places one melded group inside its box, above its label.
 *
 * @param {Segment} segment
 * @param {Box} box
 * @param {number} label
 * @returns {{tray: Tray, cards: Map<Card, Place>, step: number}}
 */
export function layBox(segment, box, label) {
  const count = segment.cards.length;
  const most = (box.w - 10) / (1 + (count - 1) * LEAST_STEP);
  const w = Math.max(14, Math.min((box.h - label - 8) / RATIO, box.w * 0.46, most, 104));
  const step = count > 1 ? Math.min(w * 0.62, (box.w - 10 - w) / (count - 1)) : 0;
  const wide = w + (count - 1) * step;
  const x = box.x + (box.w - wide) / 2;
  const y = box.y + Math.max(3, (box.h - label - w * RATIO) / 2);
  return {
    tray: { ...segment, from: 0, ...box },
    cards: new Map(segment.cards.map((card, order) => [card, { x: x + order * step, y, z: order + 1, w }])),
    step,
  };
}
