// The anchors that GitHub gives to headings.

/**
 * The anchor of a heading as GitHub makes it: lower case, spaces to hyphens, no punctuation.
 * @param {string} heading
 */
export function slug(heading) {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * The anchors of headings in their order; one that is taken gets a number.
 * @param {readonly string[]} headings
 */
export function anchorsOf(headings) {
  const taken = new Map();
  return headings.map((heading) => {
    const base = slug(heading);
    const times = taken.get(base) ?? 0;
    taken.set(base, times + 1);
    return times === 0 ? base : `${base}-${times}`;
  });
}
