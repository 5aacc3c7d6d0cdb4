/** The simulated model: from a request to an answer. */

import type { World } from "../../runtime.ts";
import { invalidRequest } from "../wire_error.ts";
import { newId } from "../new_id.ts";
import { albumOf } from "../images/image_item.ts";
import type { Painter } from "../images/image_renderer.ts";
import { planOf } from "./output_plan.ts";
import type { Asked } from "./parse_request.ts";
import type { Answer } from "./response_objects.ts";
import { speak } from "./generate_output.ts";
import { surveyOf } from "./analyze_request.ts";
import { loadTokenizer } from "../../tokenizer/tokens.ts";

/** Tokens of input and output together, and the most of output. */
export const CONTEXT_LENGTH = 131_072;
export const MAX_OUTPUT_TOKENS = 32_768;

/** What the model works with. */
export interface Means {
  readonly world: World;
  readonly painter: Painter;
}

/** Answers; throws a {@link WireError} where a provider would refuse. */
export async function answerTo(asked: Asked, { world, painter }: Means): Promise<Answer> {
  const survey = await surveyOf(asked);
  const tokenizer = await loadTokenizer();
  const inputTokens = await tokenizer.count(survey.rendered, { most: CONTEXT_LENGTH }) + survey.flatTokens;
  if (inputTokens >= CONTEXT_LENGTH) throw tooLong();
  const cap = Math.min(
    asked.max_output_tokens ?? MAX_OUTPUT_TOKENS,
    MAX_OUTPUT_TOKENS,
    CONTEXT_LENGTH - inputTokens,
  );
  const createdAt = Math.floor(world.clock.now() / 1_000);
  const speech = speak(planOf(asked, survey), { tokenizer, world, cap });
  const album = await albumOf(speech.items, painter);
  return { id: newId("resp", world), asked, createdAt, speech, inputTokens, album };
}

function tooLong(): Error {
  const message = `Your input exceeds the context window of this model, which is ${CONTEXT_LENGTH} tokens.`;
  return invalidRequest(message, "context_length_exceeded", { param: "input" });
}
