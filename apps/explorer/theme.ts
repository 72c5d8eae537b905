// Light or dark: as the system is, unless the person chose. The choice is kept in the browser.

import { useEffect, useState } from "preact/hooks";

export type Theme = "light" | "dark";

const storeKey = "stargram-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

let chosen = stored();

function stored(): Theme | undefined {
  try {
    const value = localStorage.getItem(storeKey);
    return value === "light" || value === "dark" ? value : undefined;
  } catch {
    return undefined; // a browser that stores nothing
  }
}

export function theme(): Theme {
  return chosen ?? (system.matches ? "dark" : "light");
}

function apply(): void {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener();
}

export function switchTheme(): void {
  chosen = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(storeKey, chosen);
  } catch {
    // It holds until the page is closed.
  }
  apply();
}

system.addEventListener("change", apply);
apply();

/** Whether the page is dark now: for what is painted and not styled. */
export function useDark(): boolean {
  const [dark, setDark] = useState(theme() === "dark");
  useEffect(() => {
    const follow = () => setDark(theme() === "dark");
    listeners.add(follow);
    return () => {
      listeners.delete(follow);
    };
  }, []);
  return dark;
}
