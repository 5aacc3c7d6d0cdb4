/** A whole answer → the events that a stream would have brought: it is read as a stream of whole blocks. */

import { writeCallArguments } from "../../canonical/call_arguments.ts";
import type { ModelEvent } from "../../canonical/event.ts";
import { unreadableAnswer } from "../../common/outbound/failures.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { appendDelta, startToolCall } from "./parse_blocks.ts";
import { failStream, finishStream, initialState, withStopReason } from "./parse_events.ts";
import { type ResponseBlock, responseSchema as answerSchema } from "./response_schema.ts";
import type { BedrockState, ParseStep } from "./parse_state.ts";
import { runSteps } from "../../stream/state_machine.ts";
import { parseUsage } from "./parse_usage.ts";

export function parseResponse(body: unknown, request: ModelRequest): readonly ModelEvent[] {
  const state = initialState(request);
  const { data } = answerSchema.safeParse(body);
  if (data === undefined) return failStream(state, unreadableAnswer)[1];
  const serviceTier = data.serviceTier?.type;
  const steps = data.output.message.content.map((block) => (now: BedrockState) => stepBlock(now, block));
  const begun: ModelEvent = { type: "begin" };
  const [, events] = runSteps({ ...state, begun: true }, [
    ...steps,
    (now) => [withStopReason(now, data.stopReason), []],
    (now) => finishStream({ ...now, usage: parseUsage(data.usage, serviceTier), serviceTier }),
  ]);
  return [begun, ...events];
}

function stepBlock(state: BedrockState, block: ResponseBlock): ParseStep {
  const { toolUse, reasoningContent, citationsContent } = block;
  if (toolUse) {
    const input = writeCallArguments(toolUse.input ?? {});
    return runSteps(state, [
      (now) => startToolCall(now, toolUse),
      (now) => appendDelta(now, { toolUse: { input } }),
    ]);
  }
  const text = block.text ?? citationsContent?.content?.map((one) => one.text ?? "").join("");
  return appendDelta(state, {
    text,
    reasoningContent: reasoningContent && {
      text: reasoningContent.reasoningText?.text,
      signature: reasoningContent.reasoningText?.signature,
      redactedContent: reasoningContent.redactedContent,
    },
  });
}
