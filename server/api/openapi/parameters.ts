/** Parameters of an operation: those of its path, its query, and headers that change what it does. */

import type * as z from "zod";
import { budgetIntervals } from "../../../shared/budget_intervals.ts";
import { isRecord } from "../../../shared/util/json.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { ApiOperation } from "./api_operations.ts";
import type { SchemaComponents } from "./schema_components.ts";

/** Schemas of parameters of a path; every other is a text. */
const pathSchemas: ReadonlyMap<string, JsonObject> = new Map([
  ["interval", { type: "string", enum: [...budgetIntervals] }],
]);

const header = (name: string, description: string): JsonObject => ({
  name,
  in: "header",
  description,
  schema: { type: "string" },
});

/** Headers that several operations take. */
export const headerParameters = {
  IdempotencyKey: header(
    "Idempotency-Key",
    "For a day, the same key with the same request gets the same answer, from one call.",
  ),
  IfMatch: header(
    "If-Match",
    "The ETag of the record or the content as the client knows it; where it has changed, nothing is done.",
  ),
  IfNoneMatch: header("If-None-Match", "The ETag of what the client has: the same is answered with 304."),
  ResponseCache: header(
    "X-OpenRouter-Cache",
    "Whether the response may come from the cache, and is kept in it: `true` or `false`.",
  ),
  ResponseCacheTtl: header("X-OpenRouter-Cache-TTL", "Seconds that the response is kept, 300 by default."),
  ResponseCacheClear: header(
    "X-OpenRouter-Cache-Clear",
    "With `true`, the response that is kept for this request is dropped first.",
  ),
} as const satisfies Record<string, JsonObject>;

const takes = (name: keyof typeof headerParameters): JsonObject => ({
  $ref: `#/components/parameters/${name}`,
});

const cacheHeaders = ["ResponseCache", "ResponseCacheTtl", "ResponseCacheClear"] as const;

export function parametersOf(operation: ApiOperation, schemas: SchemaComponents): readonly JsonObject[] {
  const { path, query, instead, method, versioned, idempotent, cached, isDownload, others } = operation;
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return [
    ...names.map((name): JsonObject => ({
      name,
      in: "path",
      required: true,
      schema: pathSchemas.get(name) ?? { type: "string", minLength: 1 },
    })),
    ...queryParameters({ query, instead: instead?.query }, schemas),
    ...(idempotent ? [takes("IdempotencyKey")] : []),
    ...(cached ? cacheHeaders.map(takes) : []),
    ...((versioned && method !== "GET") || isDownload ? [takes("IfMatch")] : []),
    ...(isDownload || others?.[304] !== undefined ? [takes("IfNoneMatch")] : []),
  ];
}

interface Queries {
  readonly query?: z.ZodType;
  /** Query that makes the path another operation: none of it is needed. */
  readonly instead?: z.ZodType;
}

function queryParameters({ query, instead }: Queries, schemas: SchemaComponents): readonly JsonObject[] {
  const own = fieldsOf(query, schemas);
  const more = fieldsOf(instead, schemas).filter(({ name }) => own.every((one) => one.name !== name));
  return [...own, ...more.map((one) => ({ ...one, required: false }))]
    .map(({ name, required, schema }) => ({
      name,
      in: "query",
      ...(required ? { required } : {}),
      schema,
    }));
}

interface QueryField {
  readonly name: string;
  readonly required: boolean;
  readonly schema: unknown;
}

function fieldsOf(query: z.ZodType | undefined, schemas: SchemaComponents): readonly QueryField[] {
  if (query === undefined) return [];
  const { properties, required } = schemas.add(query, "input");
  if (!isRecord(properties)) throw new Error("Cannot describe a query that is no object");
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: needed.includes(name),
    schema,
  }));
}
