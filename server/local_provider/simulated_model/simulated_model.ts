/** The simulated model: from a request to an answer. */

import { pause } from "../../../shared/util/pause.ts";
import { runWork } from "../../../shared/util/run_work.ts";
import type { Runtime } from "../../runtime.ts";
import { invalidRequest } from "../wire_error.ts";
import { newId } from "../new_id.ts";
import { renderImages } from "../images/image_item.ts";
import type { ImageRenderer } from "../images/image_renderer.ts";
import { planOutput } from "./output_plan.ts";
import type { SimulatorRequest } from "./parse_request.ts";
import type { SimulatedResponse } from "./response_objects.ts";
import { generateOutput } from "./generate_output.ts";
import { analyzeRequest } from "./analyze_request.ts";
import { loadTokenizer, type Tokenizer } from "../../billing/tokenizer/tokens.ts";

/** Tokens of input and output together, and the most of output. */
const CONTEXT_LENGTH = 131_072;
const MAX_OUTPUT_TOKENS = 32_768;

/** Dependencies of the model. */
export interface ModelDeps {
  readonly runtime: Runtime;
  readonly painter: ImageRenderer;
  /** In place of the encoding, whose table is large. */
  readonly tokenizer?: Tokenizer;
}

/** Answers; throws a {@link WireError} where a provider would refuse. */
export async function simulateResponse(
  requested: SimulatorRequest,
  { runtime, painter, tokenizer: given }: ModelDeps,
): Promise<SimulatedResponse> {
  const survey = await analyzeRequest(requested);
  const { clock } = runtime;
  const tokenizer = given ?? await loadTokenizer(clock);
  const counting = tokenizer.count(survey.rendered, { most: CONTEXT_LENGTH });
  const inputTokens = await runWork(counting, { clock, pause, mostMs: Infinity }) + survey.flatTokens;
  if (inputTokens >= CONTEXT_LENGTH) throw tooLong();
  const cap = Math.min(
    requested.max_output_tokens ?? MAX_OUTPUT_TOKENS,
    MAX_OUTPUT_TOKENS,
    CONTEXT_LENGTH - inputTokens,
  );
  const createdAt = Math.floor(clock.now() / 1_000);
  const speech = generateOutput(planOutput(requested, survey), { tokenizer, runtime, maxTokens: cap });
  const album = await renderImages(speech.items, painter);
  return {
    id: newId("resp", runtime),
    request: requested,
    createdAt,
    output: speech,
    inputTokens,
    images: album,
  };
}

function tooLong(): Error {
  const message = `Your input exceeds the context window of this model, which is ${CONTEXT_LENGTH} tokens.`;
  return invalidRequest(message, "context_length_exceeded", { param: "input" });
}
