/**
 * Query of GET /models (specification, Models, endpoints, providers): parsed, and models filtered, sorted and paged.
 */

import { truncateStart } from "../../../shared/util/text.ts";
import * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import {
  categories,
  inputModalities,
  modelSorts,
  outputModalities,
  parameterNames,
  regions,
} from "../../../shared/models.ts";
import { parseRequestUrl } from "../request_checks.ts";

const number = (least = 0) => z.coerce.number("a number").min(least, `a number from ${least}`).optional();

/** A comma-separated list of words, each of them allowed. */
function listOf(allowed: readonly string[]) {
  const message = `a comma-separated list of ${allowed.join(", ")}`;
  return z.string().transform((text) =>
    text.split(",").map((word) => word.trim()).filter((word) => word !== "")
  )
    .refine((words) => words.every((word) => allowed.includes(word)), message).optional();
}

/** A comma-separated list of names. There is no list of those allowed. */
const anyNames = z.string().max(4_000).transform((text) =>
  text.toLowerCase().split(",").map((word) => word.trim()).filter((word) => word !== "")
).optional();

const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, `one of ${words.join(", ")}`).optional();

export const modelQuerySchema = z.object({
  offset: z.coerce.number().pipe(z.int("a whole number from 0").min(0, "a whole number from 0")).optional(),
  limit: z.coerce.number().pipe(
    z.int("a whole number from 1 to 1000").min(1, "a whole number from 1 to 1000").max(
      1_000,
      "a whole number from 1 to 1000",
    ),
  ).optional(),
  /** Id of the model that the page begins behind. Anthropic's clients send it. */
  after_id: z.string().max(1_000).optional(),
  /** Id of the model that the page ends before. Anthropic's clients send it. */
  before_id: z.string().max(1_000).optional(),
  q: z.string().max(1_000).optional(),
  sort: oneOf(modelSorts),
  category: oneOf(categories),
  supported_parameters: listOf(parameterNames),
  input_modalities: listOf(inputModalities),
  output_modalities: listOf([...outputModalities, "all"]),
  context: number(),
  min_price: number(),
  max_price: number(),
  min_output_price: number(),
  max_output_price: number(),
  arch: z.string().max(200).optional(),
  model_authors: anyNames,
  providers: anyNames,
  distillable: oneOf(["true", "false"]),
  zdr: oneOf(["true", "false"]),
  region: oneOf(regions),
  min_age_days: number(),
  max_age_days: number(),
  min_intelligence_index: number(),
  max_intelligence_index: number(),
  min_coding_index: number(),
  max_coding_index: number(),
  min_agentic_index: number(),
  max_agentic_index: number(),
  min_tool_success_rate: number(),
  max_tool_success_rate: number(),
});

export type ModelQuery = z.output<typeof modelQuerySchema>;

/** Reads a URL's query. Unknown keys are ignored; unknown values are refused with a list of known ones. */
export function parseModelQuery(url: string): ModelQuery {
  const input = [...parseRequestUrl(url).searchParams].filter(([, value]) =>
    value !== "" && value !== "null"
  );
  const result = modelQuerySchema.safeParse(Object.fromEntries(input));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const key = String(issue?.path[0] ?? "query");
  const value = input.find(([name]) => name === key)?.[1] ?? "";
  throw new ApiError(
    "invalid_request",
    `${key} is "${truncateStart(value, 100)}": allowed is ${issue?.message}.`,
    {
      metadata: { path: key },
    },
  );
}

interface ModelPage<T> {
  readonly data: readonly T[];
  /** The address of the next page; null on the last. */
  readonly next: string | null;
}

/** A query, and the address that it came with. */
interface PageInput {
  readonly query: ModelQuery;
  readonly url: string;
}

const USUAL_LIMIT = 500;

/** Without offset and limit the whole list is one page (specification, Pagination conventions). */
export function pageModels<T>(all: readonly T[], { query: { offset, limit }, url }: PageInput): ModelPage<T> {
  if (offset === undefined && limit === undefined) return { data: all, next: null };
  const from = offset ?? 0;
  const until = from + (limit ?? USUAL_LIMIT);
  if (until >= all.length) return { data: all.slice(from), next: null };
  const next = parseRequestUrl(url);
  next.searchParams.set("offset", String(until));
  next.searchParams.set("limit", String(limit ?? USUAL_LIMIT));
  return { data: all.slice(from, until), next: next.pathname + next.search };
}
