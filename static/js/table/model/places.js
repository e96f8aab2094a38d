// @ts-check
// Who sits where around the table. Pure geometry, for each of the three shapes of the room.

/** @typedef {"wide" | "upright" | "low"} Mode */

/**
 * Where opponents sit, by their number, clockwise from one's own left: [left, top] in percent of the felt.
 *
 * @type {Record<Mode, Record<number, number[][]>>}
 */
const PLACES = {
  wide: {
    1: [[50, 1]],
    2: [
      [23, 9],
      [77, 9],
    ],
    3: [
      [9, 30],
      [50, 1],
      [91, 30],
    ],
    4: [
      [8.5, 38],
      [31, 3],
      [69, 3],
      [91.5, 38],
    ],
    5: [
      [8, 42],
      [25.5, 5],
      [50, 0.5],
      [74.5, 5],
      [92, 42],
    ],
  },
  upright: {
    1: [[50, 1]],
    2: [
      [12, 4],
      [88, 4],
    ],
    3: [
      [11, 22],
      [50, 0],
      [89, 22],
    ],
    4: [
      [11, 34],
      [27, 1],
      [73, 1],
      [89, 34],
    ],
    5: [
      [11, 34],
      [16, 2],
      [50, 0],
      [84, 2],
      [89, 34],
    ],
  },
  low: {
    1: [[50, 2]],
    2: [
      [25, 4],
      [75, 4],
    ],
    3: [
      [11, 34],
      [50, 2],
      [89, 34],
    ],
    4: [
      [11.5, 42],
      [32, 2],
      [68, 2],
      [89.5, 42],
    ],
    5: [
      [11.5, 46],
      [21, 2],
      [50, 2],
      [79, 2],
      [89.5, 46],
    ],
  },
};

/**
 * The seats around the table from one's own (or, for a watcher, the first at the near side); y null: at the near edge.
 *
 * @param {number[]} numbers
 * @param {number | null} own
 * @param {Mode} shape
 * @returns {{seat: number, x: number, y: number | null}[]}
 */
export function seatPlaces(numbers, own, shape) {
  const start = own === null ? 0 : numbers.indexOf(own);
  const around = [...numbers.slice(start), ...numbers.slice(0, start)];
  const opponents = around.slice(1);
  /** @type {{seat: number, x: number, y: number | null}[]} */
  const places = opponents.map((seat, place) => {
    const [x, y] = PLACES[shape][opponents.length][place];
    return { seat, x, y };
  });
  if (own === null) places.push({ seat: around[0], x: 50, y: null });
  return places;
}
