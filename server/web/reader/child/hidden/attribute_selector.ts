/** Selectors by attributes. */

import { ident, string } from "css-tree";
import type { Matcher } from "./combinators.ts";
import { type CssTokens, isBlank } from "./css/css_tokens.ts";

const tests: ReadonlyMap<string, (value: string, wanted: string) => boolean> = new Map([
  ["=", (value, wanted) => value === wanted],
  ["~=", (value, wanted) => value.split(/\s+/).includes(wanted)],
  ["|=", (value, wanted) => value === wanted || value.startsWith(`${wanted}-`)],
  ["^=", (value, wanted) => wanted !== "" && value.startsWith(wanted)],
  ["$=", (value, wanted) => wanted !== "" && value.endsWith(wanted)],
  ["*=", (value, wanted) => wanted !== "" && value.includes(wanted)],
]);

/** Attributes of HTML whose values are compared without regard to case. */
const folded: ReadonlySet<string> = new Set(
  ("align bgcolor charset checked color dir disabled enctype face hidden http-equiv lang language media method rel " +
    "rev scope selected shape target text type valign").split(" "),
);

/** Makes a matcher of what stands between the brackets; undefined where that is no attribute selector. */
export function attributeMatcher(tokens: CssTokens): Matcher | undefined {
  const parts = tokens.filter(({ type }) => !isBlank(type));
  const bare = parts[0]?.text === "*" && parts[1]?.text === "|" ? parts.slice(2) : parts;
  const [first, ...rest] = bare[0]?.text === "|" ? bare.slice(1) : bare;
  if (first?.type !== "ident-token") return undefined;
  const name = ident.decode(first.text).toLowerCase();
  if (rest.length === 0) return (element) => element.hasAttribute(name);
  const sign = rest[0]?.text === "=" ? "=" : `${rest[0]?.text ?? ""}${rest[1]?.text ?? ""}`;
  const [value, flag, ...more] = rest.slice(sign.length);
  const test = tests.get(sign);
  const wanted = wordOf(value);
  if (test === undefined || wanted === undefined || more.length > 0) return undefined;
  const flagName = flag?.text.toLowerCase();
  if (flagName !== undefined && flagName !== "i" && flagName !== "s") return undefined;
  const isFolded = flagName === "i" || (flagName === undefined && folded.has(name));
  const fold = (text: string) => isFolded ? text.toLowerCase() : text;
  return (element) => {
    const found = element.getAttribute(name);
    return found !== null && test(fold(found), fold(wanted));
  };
}

function wordOf(token: CssTokens[number] | undefined): string | undefined {
  if (token?.type === "ident-token") return ident.decode(token.text);
  return token?.type === "string-token" ? string.decode(token.text) : undefined;
}
