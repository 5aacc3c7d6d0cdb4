/** Light or dark: the system's choice, or the one that is remembered in this browser. */

import { readSetting, writeSetting } from "./browser_setting.ts";

type Theme = "light" | "dark";

const KEY = "tollgate-theme";

/** Undefined where the system decides, also where the browser keeps nothing. */
export function rememberedTheme(): Theme | undefined {
  const text = readSetting(KEY);
  return text === "light" || text === "dark" ? text : undefined;
}

export function switchTheme(): void {
  const root = document.documentElement;
  const current = root.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next: Theme = current === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  writeSetting(KEY, next);
}
