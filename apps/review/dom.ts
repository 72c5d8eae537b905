// Small things that the parts of the review page share.

export const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

export function make<K extends keyof HTMLElementTagNameMap>(name: K, className: string): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

export function percentText(probability: number): string {
  if (probability > 0 && probability < 0.01) return "< 1 %";
  const percent = Math.round(100 * probability);
  return `${probability < 1 ? Math.min(percent, 99) : percent} %`; // 100 % would say that nothing else is possible
}

export function count(items: number): string {
  return items.toLocaleString("en-US");
}
