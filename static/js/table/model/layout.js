// Where every card of the hand lies. Pure geometry: cards as large as the room allows, indexes always readable.

const RATIO = 1.4;
/** The part of a card that must stay in sight when the next one lies on it: its index. */
const LEAST_STEP = 0.415;
const BEST_STEP = 0.66;

function widthOf(row, w, step, shape) {
  const cards = row.reduce((sum, segment) => sum + w + (segment.cards.length - 1) * step + 2 * shape.pad, 0);
  return cards + (row.length - 1) * shape.gap;
}

/** Splits the segments into at most `rows` rows no wider than `limit`; loose cards may be split, groups never. */
function split(segments, rows, w, step, limit, shape) {
  const result = [[]];
  const waiting = [...segments];
  while (waiting.length > 0) {
    const row = result.at(-1);
    const [fitting, rest] = fitted(waiting.shift(), row, w, step, limit, shape);
    if (fitting) row.push(fitting);
    if (!rest) continue;
    if (row.length === 0 || result.length === rows) return null;
    waiting.unshift(rest);
    result.push([]);
  }
  return result.filter((row) => row.length > 0);
}

/** [what of the segment still fits into the row, what does not]; either may be null. */
function fitted(segment, row, w, step, limit, shape) {
  if (widthOf([...row, segment], w, step, shape) <= limit) return [segment, null];
  const fits = segment.key === "loose" ? roomFor(row, w, step, limit, shape) : 0;
  if (fits < 2 || fits >= segment.cards.length) return [null, segment];
  const rest = { ...segment, cards: segment.cards.slice(fits), from: (segment.from ?? 0) + fits };
  return [{ ...segment, cards: segment.cards.slice(0, fits) }, rest];
}

/** How many loose cards still fit into the row. */
function roomFor(row, w, step, limit, shape) {
  const used = row.length ? widthOf(row, w, step, shape) + shape.gap : 0;
  return Math.floor((limit - used - 2 * shape.pad - w) / step) + 1;
}

/** As even as possible: the narrowest limit that still fits `rows` rows looks tidy and leaves room to spread. */
function balanced(segments, rows, w, step, limit, shape) {
  let best = split(segments, rows, w, step, limit, shape);
  if (!best || rows === 1) return best;
  let low = 0;
  let high = limit;
  for (let turn = 0; turn < 9; turn += 1) {
    const middle = (low + high) / 2;
    const found = split(segments, rows, w, step, middle, shape);
    if (found) [best, high] = [found, middle];
    else low = middle;
  }
  return best;
}

function attempt(segments, region, rows, shape) {
  const tall = (region.h - (rows - 1) * shape.rowGap) / rows - shape.label - shape.lift - shape.foot;
  let w = Math.min(shape.most, tall / RATIO);
  for (; w > 16; w *= 0.965) {
    const found = balanced(segments, rows, w, w * LEAST_STEP, region.w, shape);
    if (found) return { rows: found, w };
  }
  return null;
}

function spread(found, region, shape) {
  const most = Math.min(
    ...found.rows.map((row) => {
      const overlaps = row.reduce((sum, segment) => sum + segment.cards.length - 1, 0);
      return overlaps === 0 ? Infinity : (region.w - widthOf(row, found.w, 0, shape)) / overlaps;
    }),
  );
  return Math.min(most, found.w * BEST_STEP);
}

/**
 * Places the cards of `segments` ({key, cards}) in `region` ({x, y, w, h}).
 * Returns {w, cards: Map card → {x, y, z}, trays: [{key, x, y, w, h, cards, from}]}.
 */
export function layHand(segments, region, shape) {
  const full = segments.filter((segment) => segment.cards.length > 0);
  const tries = full.length === 0 ? [] : [1, 2, 3].map((rows) => attempt(full, region, rows, shape)).filter(Boolean);
  if (tries.length === 0) return { w: 60, step: 30, cards: new Map(), trays: [] };
  for (const one of tries) {
    one.step = spread(one, region, shape);
    one.worth = Math.min(one.step, one.w * 0.5) * 2 + one.w * 0.35;
  }
  const best = tries.reduce((most, one) => (one.worth > most.worth ? one : most));
  return place(best, region, shape);
}

function place({ rows, w, step }, region, shape) {
  const h = w * RATIO;
  const rowHeight = shape.lift + h + shape.foot + shape.label;
  const tall = rows.length * rowHeight + (rows.length - 1) * shape.rowGap;
  const cards = new Map();
  const trays = [];
  let y = region.y + Math.max(0, (region.h - tall) / (shape.low ? 1 : 2));
  for (const row of rows) {
    let x = region.x + (region.w - widthOf(row, w, step, shape)) / 2;
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

/** How wide the columns of the boxes are, for groups of these sizes: on a small screen as the fullest box needs. */
export function boxColumns(sizes, mode) {
  if (mode === "wide") return "";
  const columns = mode === "low" ? 6 : 3;
  const need = (count) => 1 + (Math.max(count, 3) - 1) * LEAST_STEP;
  const empty = mode === "low" ? 0.7 : 0;
  const widths = Array.from({ length: columns }, (_, column) => {
    const here = sizes.filter((_size, order) => order % columns === column);
    return here.length > 0 ? Math.max(...here.map(need)) : empty || need(0);
  });
  return widths.map((width) => `minmax(0, ${width.toFixed(3)}fr)`).join(" ");
}

/** Places one melded group inside its box. */
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
