/** Whether a mask covers all of an element. */

import { colorOf } from "./css/css_color.ts";
import { lengthOf, WINDOW } from "./css/css_length.ts";
import { wordsOf } from "./css/css_property.ts";
import { argumentsOf, splitAt, textOf, tokensOf } from "./css/css_tokens.ts";

interface MaskedText {
  readonly fontPx: number;
  readonly isDark: boolean;
  readonly color: Parameters<typeof colorOf>[1]["current"];
}

/** Pictures as masks are not known: they are taken to show something. */
export function isMaskedAway(properties: ReadonlyMap<string, string>, text: MaskedText): boolean {
  const image = properties.get("mask-image") ?? properties.get("mask") ?? "";
  if (!/gradient\(/i.test(image) && !/^(?:url|image)/i.test(image)) return false;
  const basis = { em: text.fontPx, whole: WINDOW.width };
  const size = properties.get("mask-size") ?? image.split(/\)\s*[^(]*\/\s*/)[1] ?? "";
  if (wordsOf(size).some((word) => (lengthOf(word, basis) ?? Infinity) <= 1)) return true;
  const layers = splitAt(tokensOf(image), "comma-token").map((layer) => wordsOf(textOf(layer)));
  return layers.every((words) => {
    const gradient = words.find((word) => /gradient\(/i.test(word));
    return gradient !== undefined && isTransparent(gradient, text);
  });
}

const LEAST_ALPHA = 0.05;

function isTransparent(gradient: string, { isDark, color }: MaskedText): boolean {
  const stops = splitAt(argumentsOf(tokensOf(gradient), 0), "comma-token").flatMap((stop) =>
    wordsOf(textOf(stop))
  ).map((word) => colorOf(word, { isDark, current: color })).filter((one) => one !== undefined);
  return stops.length > 0 && stops.every(({ alpha }) => alpha <= LEAST_ALPHA);
}
