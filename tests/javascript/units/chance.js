// Chance that comes again by its seed (mulberry32).

export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 to below `most`. */
export const any = (chance, most) => Math.floor(chance() * most);

export const pick = (chance, list) => list[any(chance, list.length)];

/** So many of the list, none twice, in any order. */
export function someOf(chance, list, count) {
  const rest = [...list];
  return Array.from({ length: count }, () => rest.splice(any(chance, rest.length), 1)[0]);
}
