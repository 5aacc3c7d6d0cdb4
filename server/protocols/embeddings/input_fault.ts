/** Says what is wrong with the `input` of POST /embeddings: where, what is there, and what is allowed. */

import { LAST_TOKEN, MAX_INPUT_TOKENS, MAX_TEXTS } from "../../../shared/embeddings/request.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { formatPath, formatValue, type ValidationIssue } from "../../../shared/validation/validate.ts";

const written = (count: number): string => count.toLocaleString("en");

const ALLOWED =
  `allowed: a text, a list of 1 to ${written(MAX_TEXTS)} texts (each may be an object with text ` +
  `parts in content, or a list of its tokens), or a list of tokens; a token is a whole number from 0 to ` +
  `${written(LAST_TOKEN)}, and a request has at most ${written(MAX_INPUT_TOKENS)} of them`;

interface Wrong {
  readonly path: readonly PropertyKey[];
  readonly is: string;
}

/** Undefined for one that the schema of requests takes. */
export function inputFault(input: unknown): ValidationIssue | undefined {
  const wrong = Array.isArray(input) ? wrongInList(input) : wrongAlone(input);
  if (wrong === undefined) return undefined;
  const path = formatPath(["input", ...wrong.path]);
  return { path, message: `${path} ${wrong.is}; ${ALLOWED}` };
}

function wrongAlone(value: unknown, path: readonly PropertyKey[] = []): Wrong | undefined {
  return typeof value === "string" && value !== "" ? undefined : { path, is: isWhat(value) };
}

function isWhat(value: unknown): string {
  if (value === undefined) return "is missing";
  const isEmpty = value === "" || (Array.isArray(value) && value.length === 0);
  return isEmpty ? "is empty" : `is ${formatValue(value)}`;
}

function wrongInList(list: readonly unknown[]): Wrong | undefined {
  if (typeof list[0] === "number") return wrongTokens(list, []) ?? tooMany(list.length);
  if (list.length === 0) return { path: [], is: isWhat(list) };
  if (list.length > MAX_TEXTS) return { path: [], is: `has ${written(list.length)} entries` };
  const counts = list.map((entry) => Array.isArray(entry) ? entry.length : 0);
  return firstWrong(list, wrongEntry) ?? tooMany(counts.reduce((sum, count) => sum + count, 0));
}

function tooMany(tokens: number): Wrong | undefined {
  return tokens > MAX_INPUT_TOKENS ? { path: [], is: `has ${written(tokens)} tokens` } : undefined;
}

function wrongEntry(entry: unknown, at: number): Wrong | undefined {
  if (Array.isArray(entry)) return wrongTokens(entry, [at]);
  if (isRecord(entry)) return wrongParts(entry.content, [at, "content"]);
  return wrongAlone(entry, [at]);
}

function wrongTokens(list: readonly unknown[], path: readonly PropertyKey[]): Wrong | undefined {
  if (list.length === 0) return { path, is: isWhat(list) };
  return firstWrong(
    list,
    (token, at) => isToken(token) ? undefined : { path: [...path, at], is: isWhat(token) },
  );
}

const isToken = (token: unknown): boolean =>
  typeof token === "number" && Number.isInteger(token) && token >= 0 && token <= LAST_TOKEN;

function wrongParts(content: unknown, path: readonly PropertyKey[]): Wrong | undefined {
  if (!Array.isArray(content) || content.length === 0) return { path, is: isWhat(content) };
  return firstWrong(content, (part, at) => {
    if (!isRecord(part)) return { path: [...path, at], is: isWhat(part) };
    if (part.type === "text") return wrongAlone(part.text, [...path, at, "text"]);
    return { path: [...path, at, "type"], is: `${isWhat(part.type)}, and nothing but text can be embedded` };
  });
}

/** Lists may be long: nothing behind the first fault is looked at. */
function firstWrong(
  list: readonly unknown[],
  judge: (entry: unknown, at: number) => Wrong | undefined,
): Wrong | undefined {
  for (const [at, entry] of list.entries()) {
    const wrong = judge(entry, at);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
