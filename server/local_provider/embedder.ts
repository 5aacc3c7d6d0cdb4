/**
 * The simulated model of embeddings, `local/embed`, in the form of OpenAI's `POST /embeddings`: each word of a text
 * adds to places that its letters decide, so that texts with the same words are near each other. It understands
 * nothing.
 */

import * as z from "zod";
import { pause } from "../../shared/util/pause.ts";
import { runWork } from "../../shared/util/run_work.ts";
import { loadTokenizer } from "../billing/tokenizer/tokens.ts";
import type { Runtime } from "../runtime.ts";
import { invalidRequest, parseJsonBody, WireError } from "./wire_error.ts";

export const DIMENSIONS = 256;
export const MOST_DIMENSIONS = 4_096;
const CONTEXT_LENGTH = 131_072;

const requestSchema = z.object({
  model: z.string(),
  input: z.array(z.string().min(1)).min(1),
  dimensions: z.int().min(1).max(MOST_DIMENSIONS).optional(),
});

/** Values that each field may have. */
const allowed: { readonly [P in keyof z.infer<typeof requestSchema>]-?: string } = {
  model: "a text is needed",
  input: "a list of one text or more is needed, none of them empty",
  dimensions: `allowed is a whole number from 1 to ${MOST_DIMENSIONS.toLocaleString("en")}`,
};

const namedBy = (field: unknown): keyof typeof allowed =>
  field === "model" || field === "dimensions" ? field : "input";

const names: ReadonlySet<string> = new Set(["embed", "local/embed"]);

export async function embed(text: string, { clock }: Pick<Runtime, "clock">): Promise<Response> {
  const parsed = requestSchema.safeParse(parseJsonBody(text));
  if (!parsed.success) {
    const param = namedBy(parsed.error.issues[0]?.path[0]);
    throw invalidRequest(`Invalid value for '${param}': ${allowed[param]}.`, "invalid_type", { param });
  }
  const { model, input, dimensions = DIMENSIONS } = parsed.data;
  if (!names.has(model)) {
    const message = `The model '${model}' does not exist.`;
    throw new WireError(404, { message, type: "invalid_request_error", code: "model_not_found" });
  }
  const tokenizer = await loadTokenizer(clock);
  const counting = tokenizer.count(input, { most: CONTEXT_LENGTH });
  const tokens = await runWork(counting, { clock, pause, mostMs: Infinity });
  const data = input.map((one, index) => ({
    object: "embedding",
    index,
    embedding: vectorOf(one, dimensions),
  }));
  return Response.json({
    object: "list",
    model,
    data,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/** Words of a text that count, at most. */
const MOST_WORDS = 10_000;

function vectorOf(text: string, dimensions: number): readonly number[] {
  const vector = new Float32Array(dimensions);
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "").slice(
    0,
    MOST_WORDS,
  );
  for (const word of words.length === 0 ? [text] : words) addWord(vector, word);
  const length = Math.hypot(...vector) || 1;
  return [...vector].map((value) => Math.fround(value / length));
}

/** Places of the vector to which one word adds. */
const PLACES = 4;

function addWord(vector: Float32Array, word: string): void {
  let state = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) state = Math.imul(state ^ word.charCodeAt(at), 0x01000193) >>> 0;
  for (let place = 0; place < PLACES; place++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) >>> 0;
    const at = state % vector.length;
    vector[at] = (vector[at] ?? 0) + (state & 0x10000 ? 1 : -1);
  }
}
