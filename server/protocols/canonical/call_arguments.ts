/** Arguments of calls as models write them: mostly a JSON object, sometimes anything else. */

import { isRecord, tryParseJson, withWholePairs, writeJson } from "../../../shared/util/json.ts";
import type { JsonObject, ToolCallItem } from "./item.ts";

/** Objects and lists inside one another: writers of JSON overflow in thousands of them, and no tool takes so many. */
export const MOST_LEVELS = 64;

/** No shorter text can be nested deeper. */
const SHORT = 2 * MOST_LEVELS;

/** The JSON object that a text is, `{}` for a blank one; undefined for all others, and for what is nested deeper. */
export function parseCallArguments(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  const value = tryParseJson(text);
  return isRecord(value) && !isTooDeep(text, value) ? value : undefined;
}

/** Whether a text is JSON that is nested deeper than tools take. */
export const isDeepJson = (text: string): boolean => isTooDeep(text, tryParseJson(text));

const isTooDeep = (text: string, value: unknown): boolean =>
  text.length > SHORT && isDeeper(value, MOST_LEVELS);

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** For providers that take objects only: what is none stands in one. */
export function callArgumentsObject(text: string): JsonObject {
  const found = parseCallArguments(text);
  if (found !== undefined) return found;
  const value = tryParseJson(text);
  return { arguments: value === undefined || isTooDeep(text, value) ? text : value };
}

/** Arguments of a call as an object, whatever the model wrote. The text of a custom tool is its `input`. */
export const callInput = (call: Pick<ToolCallItem, "kind" | "arguments">): JsonObject =>
  call.kind === "custom" ? { input: call.arguments } : callArgumentsObject(call.arguments);

/** For providers that take a text and parse it: as the model wrote it where that is a JSON object they can read. */
export function callArgumentsText(text: string): string {
  if (text.trim() === "") return "{}";
  const found = parseCallArguments(text);
  if (found === undefined) return writeJson(callArgumentsObject(text));
  if (!ESCAPED_HALF.test(text)) return text;
  const json = JSON.stringify(found);
  const whole = withWholePairs(json);
  return whole === json ? text : whole;
}

/** May be half of a pair of which the other half follows. */
const ESCAPED_HALF = /\\u[dD][89a-fA-F]/;

/** The text of arguments that came as a value, however deep: what was written is charged. */
export function writeCallArguments(value: unknown): string {
  return isDeeper(value, MOST_LEVELS) ? writeDeepJson(value) : JSON.stringify(value);
}

/** Text that is to be written as it is, or a value. */
type Pending = { readonly text: string } | { readonly value: unknown };

/** `JSON.stringify` for what it would overflow in. */
function writeDeepJson(root: unknown): string {
  const chunks: string[] = [];
  const pending: Pending[] = [{ value: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if ("text" in next) {
      chunks.push(next.text);
      continue;
    }
    const { value } = next;
    if (typeof value !== "object" || value === null) {
      chunks.push(JSON.stringify(value));
      continue;
    }
    const isList = Array.isArray(value);
    pending.push({ text: isList ? "]" : "}" });
    const members = Object.entries(value);
    for (let at = members.length - 1; at >= 0; at--) {
      const [key, member] = members[at] ?? [];
      const before = at === 0 ? "" : ",";
      pending.push({ value: member }, { text: isList ? before : `${before}${JSON.stringify(key)}:` });
    }
    chunks.push(isList ? "[" : "{");
  }
  return chunks.join("");
}
