/** A whole answer → the events that a stream would have brought: it is read as a stream of whole blocks. */

import type { Failure, ModelEvent } from "../../../canonical/event.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import { grow, startCall } from "./parse_blocks.ts";
import { conclude, fail, initialState, stopped } from "./parse_events.ts";
import { answer as answerSchema, type AnswerBlock } from "./response_schema.ts";
import { type BedrockState, inTurn, type Step } from "./parse_state.ts";
import { parseUsage } from "./parse_usage.ts";

export function parseAnswer(body: unknown, request: ModelRequest): readonly ModelEvent[] {
  const state = initialState(request);
  const { data } = answerSchema.safeParse(body);
  if (data === undefined) return fail(state, malformed)[1];
  const serviceTier = data.serviceTier?.type;
  const steps = data.output.message.content.map((block) => (now: BedrockState) => stepBlock(now, block));
  const begun: ModelEvent = { type: "begin" };
  const [, events] = inTurn({ ...state, begun: true }, [
    ...steps,
    (now) => [stopped(now, data.stopReason), []],
    (now) => conclude({ ...now, usage: parseUsage(data.usage, serviceTier), serviceTier }),
  ]);
  return [begun, ...events];
}

const malformed: Failure = { kind: "upstream_failed", message: "The provider's answer cannot be read." };

function stepBlock(state: BedrockState, block: AnswerBlock): Step {
  const { toolUse, reasoningContent: thought, citationsContent: cited } = block;
  if (toolUse) {
    const input = JSON.stringify(toolUse.input ?? {});
    return inTurn(state, [(now) => startCall(now, toolUse), (now) => grow(now, { toolUse: { input } })]);
  }
  const text = block.text ?? cited?.content?.map((one) => one.text ?? "").join("");
  return grow(state, {
    text,
    reasoningContent: thought && {
      text: thought.reasoningText?.text,
      signature: thought.reasoningText?.signature,
      redactedContent: thought.redactedContent,
    },
  });
}
