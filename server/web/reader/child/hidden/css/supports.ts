/** Whether a browser of today supports what `@supports` asks for. */

import { conditionHolds, featureOf, type Truth } from "../condition.ts";
import type { CssTokens } from "./css_tokens.ts";
import { parseList } from "../selector.ts";
import { isValid } from "../valid_value.ts";

/** Names of other browsers' features: the assumed browser does not know them. */
const FOREIGN =
  /^-(?:moz|ms|o|khtml|apple)-|^-webkit-(?:touch-callout|backdrop-filter|overflow-scrolling|hyphens)$/;

/** Says whether a condition is supported; an unknown one is not. */
export const isSupported = (condition: string): boolean => conditionHolds(condition, supports) === true;

function supports(tokens: CssTokens, functionName: string | undefined): Truth {
  if (functionName === "selector") return parseList(tokens, {}) !== undefined;
  if (functionName === "font-tech" || functionName === "font-format") return true;
  if (functionName !== undefined) return false;
  const { name, value } = featureOf(tokens);
  if (value === undefined) return false;
  if (name.startsWith("--")) return true;
  return !FOREIGN.test(name) && isValid(name, value.replace(/\s*!\s*important$/i, ""));
}
