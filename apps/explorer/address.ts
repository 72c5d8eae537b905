// The state of the page in its address, so that what one sees can be shared: `#/read?B=3&mode=beam`. What is as by default is
// left out.

import { type View, views } from "./catalogue.js";

export interface Address {
  view: View;
  params: Readonly<Record<string, string>>;
}

export function parseAddress(hash: string): Address {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const view = views.find((name) => name === path);
  if (view === undefined) return { view: "read", params: {} };
  return { view, params: Object.fromEntries(new URLSearchParams(query)) };
}

/** Parameters that are undefined are left out; an empty one stays, as an emptied field does. */
export function formatAddress(view: View, params: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, value);
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

/** A whole number of the address between two bounds, or what is usual. */
export function wholeOf(text: string | undefined, least: number, most: number, usual: number): number {
  const value = Number(text);
  if (text === undefined || text.trim() === "" || !Number.isInteger(value)) return usual;
  return Math.min(most, Math.max(least, value));
}
