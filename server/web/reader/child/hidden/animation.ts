/** Finds the style in which animations end: texts fade in and out, and stay so. */

import { LEVELS, type Properties, ranked, type RankedDeclaration } from "./css/cascade.ts";
import { wordsOf } from "./css/css_property.ts";
import type { CssDeclaration } from "./css/css_syntax.ts";
import { splitAt, textOf, tokensOf } from "./css/css_tokens.ts";
import { noLayer } from "./css/layers.ts";

/** Seconds that a reader waits for what is not there yet. */
const MOST_SECONDS = 60;

type FrameLookup = (name: string) => readonly CssDeclaration[];

/** Declarations of the last frames of animations that end, and keep what they end with. */
export function animationEnd(properties: Properties, lastFrame: FrameLookup): readonly RankedDeclaration[] {
  const names = ["animation", "animation-name", "animation-fill-mode", "animation-play-state"] as const;
  const [short = "", own = "", fill = "", state = ""] = names.map((name) => properties.get(name) ?? "");
  if (short === "" && own === "") return [];
  const times = ["animation-duration", "animation-delay"].map((name) => properties.get(name) ?? "").join(" ");
  const rest = `${fill} ${state} ${times}`;
  const animations = own === "" ? listOf(short) : listOf(own);
  return animations.flatMap((animation, place) => {
    const words = [...wordsOf(own === "" ? animation : `${animation} ${short}`), ...wordsOf(rest)];
    const name = words.find((word) => lastFrame(word).length > 0);
    if (name === undefined || !ends(words)) return [];
    const rank = { level: LEVELS.animation, layer: noLayer, specificity: 0, place };
    return lastFrame(name).map((one) => ranked({ ...one, isImportant: false }, { rank }));
  });
}

const listOf = (value: string): readonly string[] => splitAt(tokensOf(value), "comma-token").map(textOf);

function ends(words: readonly string[]): boolean {
  const lower = words.map((word) => word.toLowerCase().replace(/,$/, ""));
  if (!lower.some((word) => word === "forwards" || word === "both")) return false;
  if (lower.some((word) => /^(?:infinite|paused|reverse|alternate|alternate-reverse)$/.test(word))) {
    return false;
  }
  return lower.reduce((sum, word) => sum + secondsOf(word), 0) <= MOST_SECONDS;
}

function secondsOf(word: string): number {
  const [, number, unit] = /^([\d.]+)(m?s)$/.exec(word) ?? [];
  return number === undefined ? 0 : Number(number) / (unit === "ms" ? 1_000 : 1);
}
