/** Filters of a search over attributes of files, as the Responses API has them. */

import * as z from "zod";
import { isRecord } from "../../../../shared/util/json.ts";
import { FILE_ID_PREFIX } from "../../../../shared/files.ts";
import type { WorkspaceFile } from "./workspace_files.ts";

const single = z.union([z.string(), z.number(), z.boolean()]);
type Value = z.output<typeof single>;

const comparisonSchema = z.object({
  type: z.enum(["eq", "ne", "gt", "gte", "lt", "lte"]),
  key: z.string().min(1),
  value: single,
});
const listSchema = z.object({
  type: z.enum(["in", "nin"]),
  key: z.string().min(1),
  value: z.array(z.union([z.string(), z.number()])),
});

export type FileFilter =
  | z.output<typeof comparisonSchema>
  | z.output<typeof listSchema>
  | { readonly type: "and" | "or"; readonly filters: readonly FileFilter[] };

/** Filters within each other, and all together. */
const MOST_LEVELS = 8;
const MOST_FILTERS = 200;

/** A fault of a filter: its field, and what is wrong with it. */
export interface FilterIssue {
  readonly field: string;
  readonly message: string;
}

/** A filter that can be used, or what is wrong with it and where. */
export function parseFilter(value: unknown): FileFilter | FilterIssue {
  const count = { left: MOST_FILTERS };
  return parseAt(value, { path: "filters", level: 1, count });
}

export const isIssue = (parsed: object): parsed is FilterIssue => "message" in parsed;

interface Place {
  readonly path: string;
  readonly level: number;
  readonly count: { left: number };
}

function parseAt(value: unknown, place: Place): FileFilter | FilterIssue {
  const { path: field, level, count } = place;
  if (level > MOST_LEVELS) return { field, message: `is nested more than ${MOST_LEVELS} levels deep` };
  if (--count.left < 0) return { field, message: `is one of more than ${MOST_FILTERS} filters` };
  const type = isRecord(value) ? value.type : undefined;
  if (isRecord(value) && (type === "and" || type === "or")) return parseAll({ ...value, type }, place);
  const schema = type === "in" || type === "nin" ? listSchema : comparisonSchema;
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const path = [field, ...(issue?.path ?? [])].map(String).join(".");
  return { field: path, message: `cannot be used: ${issue?.message ?? "it is no filter"}` };
}

interface Combined {
  readonly type: "and" | "or";
  readonly filters?: unknown;
}

function parseAll({ type, filters }: Combined, { path, level, count }: Place): FileFilter | FilterIssue {
  const field = `${path}.filters`;
  if (!Array.isArray(filters) || filters.length === 0) {
    return { field, message: "has to be a list of filters" };
  }
  const parsed: FileFilter[] = [];
  for (const [at, one] of filters.entries()) {
    const filter = parseAt(one, { path: `${field}[${at}]`, level: level + 1, count });
    if (isIssue(filter)) return filter;
    parsed.push(filter);
  }
  return { type, filters: parsed };
}

type FileAttributes = Readonly<Record<string, string | number>>;

/** Attributes of a file, as filters compare them and results show them. */
export function attributesOf({ id, ...file }: WorkspaceFile): FileAttributes {
  return {
    file_id: id.startsWith(FILE_ID_PREFIX) ? id : FILE_ID_PREFIX + id,
    filename: file.filename,
    mime_type: file.mimeType,
    bytes: file.size,
    created_at: Math.floor(file.createdAt / 1_000),
    origin: file.origin,
    ...(file.purpose === null ? {} : { purpose: file.purpose }),
  };
}

/** A file without the attribute differs from every value, and is neither above nor below one. */
export function matchesFilter(attributes: FileAttributes, filter: FileFilter): boolean {
  switch (filter.type) {
    case "and":
      return filter.filters.every((one) => matchesFilter(attributes, one));
    case "or":
      return filter.filters.some((one) => matchesFilter(attributes, one));
    case "in":
    case "nin": {
      const isIn = filter.value.some((value) => compare(attributes, { key: filter.key, value }) === 0);
      return isIn === (filter.type === "in");
    }
    default:
      return holds[filter.type](compare(attributes, filter));
  }
}

type Comparison = z.output<typeof comparisonSchema>["type"];

/** By the sign of the difference; NaN: they cannot be compared. */
const holds: Readonly<Record<Comparison, (difference: number) => boolean>> = {
  eq: (difference) => difference === 0,
  ne: (difference) => difference !== 0,
  gt: (difference) => difference > 0,
  gte: (difference) => difference >= 0,
  lt: (difference) => difference < 0,
  lte: (difference) => difference <= 0,
};

function compare(
  attributes: FileAttributes,
  { key, value }: { readonly key: string; readonly value: Value },
): number {
  const own = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  if (typeof own === "number") return own - numberOf(key, value);
  if (typeof own !== "string" || typeof value !== "string") return NaN;
  return own === value ? 0 : own < value ? -1 : 1;
}

/** A time may also be a date: `2026-11-27`. */
function numberOf(key: string, value: Value): number {
  if (typeof value === "number") return value;
  return key === "created_at" && typeof value === "string" ? Math.floor(Date.parse(value) / 1_000) : NaN;
}
