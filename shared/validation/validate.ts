/**
 * Zod's issues told in sentences that name the path, what the value was and what is allowed:
 * `session_id is 300 characters long; at most 256 are allowed`. For request bodies and settings files alike.
 */

import { ownValue } from "../util/own_value.ts";
import { truncate } from "../util/text.ts";
import * as z from "zod";

/** A body with more values than this gets its first fault named and no further search. */
const SEARCHED = 5_000;
/** Faults named in one message. */
const NAMED = 3;

/** One fault: where, and the whole sentence. */
export interface ValidationIssue {
  readonly path: string;
  readonly message: string;
}

export type ValidationResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly ValidationIssue[] };

/** Zod builds its own wording for every issue otherwise; ours is made from the issue itself. */
function silent(): string {
  return "";
}

/**
 * Stops at the first fault. Zod's own schemas use this option inside and its public type leaves it out; without
 * it an array of a million wrong entries becomes a million issues. The test of this file watches over it.
 */
const thrifty: z.core.ParseContext<z.core.$ZodIssue> & { readonly abortEarly: true } = {
  abortEarly: true,
  error: silent,
};

interface ValidateOptions<Schema extends z.ZodType> {
  /** Finds the same first fault in this value and makes the same of it; the schema itself by default. */
  readonly quick?: Schema;
}

/**
 * Validates `value`. Stops at the first fault, so that a huge hostile body costs no more than a good one; a
 * small body is read once more in full and then names up to three faults.
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { quick = schema }: ValidateOptions<Schema> = {},
): ValidationResult<z.infer<Schema>> {
  const first = quick.safeParse(value, thrifty);
  if (first.success) return { ok: true, value: first.data };
  const all = isSmall(value) ? schema.safeParse(value, { error: silent }) : first;
  const { issues } = all.success ? first.error : all.error;
  return { ok: false, faults: describeIssues(issues, value) };
}

/** One fault for each value. */
function describeIssues(issues: readonly z.core.$ZodIssue[], root: unknown): readonly ValidationIssue[] {
  const faults = new Map<string, ValidationIssue>();
  for (const issue of issues) {
    const fault = describeIssue(issue, root);
    if (!faults.has(fault.path)) faults.set(fault.path, fault);
    if (faults.size === NAMED) break;
  }
  return [...faults.values()];
}

function isSmall(value: unknown): boolean {
  const open: unknown[] = [value];
  for (let seen = 0; seen < open.length; seen++) {
    if (open.length > SEARCHED) return false;
    const next = open[seen];
    if (typeof next !== "object" || next === null) continue;
    const inner = Array.isArray(next) ? next : Object.values(next);
    if (inner.length > SEARCHED) return false;
    for (const each of inner) open.push(each);
  }
  return true;
}

/** The sentence for one issue; `root` is the value that was validated. */
function describeIssue(issue: z.core.$ZodIssue, root: unknown): ValidationIssue {
  const { path, issue: inner } = innermost(issue);
  const keys = inner.code === "unrecognized_keys" ? [...path, ...inner.keys.slice(0, 1)] : path;
  const where = formatPath(keys);
  return { path: where, message: `${where} ${issueSentence(inner, valueAt(root, keys))}` };
}

interface Located {
  readonly issue: z.core.$ZodIssue;
  readonly path: readonly PropertyKey[];
}

/** Follows a union into the one member whose JSON type fits, where there is exactly one. */
function innermost(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): Located {
  const path = [...above, ...issue.path];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return { issue, path };
  const fitting = issue.errors.filter((branch) => !branch.some(isWrongType)).flatMap((branch) =>
    branch.slice(0, 1)
  );
  const [only] = fitting;
  return only !== undefined && fitting.length === 1 ? innermost(only, path) : { issue, path };
}

function isWrongType(issue: z.core.$ZodIssue): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === "invalid_union") {
    return issue.errors.length > 0 && issue.errors.every((branch) => branch.some(isWrongType));
  }
  return issue.code === "invalid_type" || issue.code === "invalid_value";
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** Describes an issue, as the rest of a sentence that begins with the path. */
function issueSentence(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.message !== "") return issue.message;
  const is = value === undefined ? "is missing" : `is ${formatValue(value)}`;
  switch (issue.code) {
    case "invalid_type":
      return `${is}; ${nameType(issue.expected)} is expected`;
    case "invalid_value":
      return `${is}; allowed: ${list(issue.values)}`;
    case "too_big":
      return tooBig(issue, value);
    case "too_small":
      return tooSmall(issue, value);
    case "invalid_union":
      return `${is}; allowed: ${allowedBy(issue)}`;
    case "unrecognized_keys":
      return "is not a known key";
    case "invalid_format":
      return Object.hasOwn(formatNames, issue.format)
        ? `${is}; ${nameFormat(issue.format)} is expected`
        : `${is}; that is not allowed`;
    default:
      return `${is}; that is not allowed`;
  }
}

function tooBig(issue: z.core.$ZodIssueTooBig, value: unknown): string {
  const most = `at most ${issue.maximum}`;
  if (typeof value === "string" && issue.origin === "string") {
    return `is ${countCodePoints(value)} characters long; ${most} are allowed`;
  }
  if (Array.isArray(value)) return `has ${value.length} entries; ${most} are allowed`;
  return `is ${formatValue(value)}; ${most} is allowed`;
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, value: unknown): string {
  const empty = Array.isArray(value) ? value.length === 0 : typeof value === "string" && value.trim() === "";
  if (empty) return "is empty";
  const least = `at least ${issue.minimum}`;
  if (typeof value === "string" && issue.origin === "string") {
    return `is ${countCodePoints(value)} characters long; ${least} are needed`;
  }
  if (Array.isArray(value)) return `has ${value.length} entries; ${least} are needed`;
  return `is ${formatValue(value)}; ${least} is needed`;
}

function allowedBy(issue: z.core.$ZodIssueInvalidUnion): string {
  if (issue.errors.length === 0) return list("options" in issue ? issue.options : []);
  const all = new Set(issue.errors.flatMap((branch) => branch.map(wanted)));
  return [...all].filter((one) => one !== "").join(" or ");
}

function wanted(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return nameType(issue.expected);
  if (issue.code === "invalid_value") return list(issue.values);
  if (issue.code === "invalid_union") return allowedBy(issue);
  return issue.code === "invalid_format" ? nameFormat(issue.format) : "another form";
}

const formatNames: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  date: "a day such as 2030-12-31",
  datetime: "a moment such as 2030-12-31T23:59:59Z",
};

const nameFormat = (format: string): string => ownValue(formatNames, format) ?? "another form";

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

function nameType(expected: string): string {
  return ownValue(typeNames, expected) ?? (expected === "nonoptional" ? "a value" : expected);
}

/** These say nothing to whom a value was refused. */
const unsupported: readonly unknown[] = [undefined, null, ""];

/** Allowed values in words. A kind with several spellings is listed once, under the neutral one. */
function list(values: unknown): string {
  const words = Array.isArray(values) ? values.filter((value) => !unsupported.includes(value)) : [];
  const known = new Set<unknown>(words);
  const kept = words.filter((word) => !hasNeutralTwin(word, known));
  return kept.map(String).join(", ") +
    (kept.length < words.length ? " (service: may be written openrouter:)" : "");
}

function hasNeutralTwin(word: unknown, known: ReadonlySet<unknown>): boolean {
  if (typeof word !== "string") return false;
  const neutral = word.replace(/^openrouter:/, "service:").replace(":experimental__", ":");
  return neutral !== word && known.has(neutral);
}

/** Characters as JSON Schema counts them: code points, not UTF-16 units. */
export function countCodePoints(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) pairs++;
  }
  return text.length - pairs;
}

/** A value as a message may show it: strings quoted and cut, containers only named. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(truncate(value));
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** `input[3].content[0].text`; keys that are no plain words are quoted. The whole value is `body`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let spelled = "";
  for (const key of path) {
    if (typeof key === "number") spelled += `[${key}]`;
    else if (/^[A-Za-z_$][\w$-]{0,59}$/.test(String(key))) {
      spelled += (spelled === "" ? "" : ".") + String(key);
    } else spelled += `[${JSON.stringify(truncate(String(key)))}]`;
  }
  return spelled === "" ? "body" : spelled;
}
