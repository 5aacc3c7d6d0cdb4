/** The answer as a stream of the Responses wire: every event in the original's order, with its fields. */

import { imageEvents } from "../images/image_item.ts";
import {
  simulatedItemEnd,
  simulatedItemStart,
  simulatedPartEnd,
  simulatedPartStart,
  type SimulatedResponse,
  simulatedResponseEnd,
  simulatedResponseStart,
  tokenLogprobs,
} from "./response_objects.ts";
import { type GeneratedItem, textOfChunks } from "./generate_output.ts";

/** An event without its sequence number. */
export type SimulatedEvent = Readonly<{ type: string } & Record<string, unknown>>;

/** All events; `now` gives the Unix seconds at the end. */
export function* streamEvents(answer: SimulatedResponse, now: () => number): Generator<SimulatedEvent> {
  yield { type: "response.created", response: simulatedResponseStart(answer) };
  yield { type: "response.in_progress", response: simulatedResponseStart(answer) };
  for (const [index, item] of answer.output.items.entries()) {
    yield { type: "response.output_item.added", output_index: index, item: simulatedItemStart(item) };
    yield* itemEvents(answer, item, { item_id: item.id, output_index: index });
    yield { type: "response.output_item.done", output_index: index, item: simulatedItemEnd(answer, item) };
  }
  const response = simulatedResponseEnd(answer, now());
  yield { type: answer.output.isComplete ? "response.completed" : "response.incomplete", response };
}

/** Fields that name an item in its events. */
interface At {
  readonly item_id: string;
  readonly output_index: number;
}

function* itemEvents(answer: SimulatedResponse, item: GeneratedItem, at: At): Generator<SimulatedEvent> {
  if (item.type === "reasoning") yield* summaryEvents(item.summary, at);
  else if (item.type === "call") yield* callEvents(item, at);
  else if (item.type === "picture") yield* imageEvents(item, { album: answer.images, at });
  else yield* messageEvents(answer, item, at);
}

function* summaryEvents(summary: readonly string[], at: At): Generator<SimulatedEvent> {
  for (const [index, text] of summary.entries()) {
    const here = { ...at, summary_index: index };
    yield {
      type: "response.reasoning_summary_part.added",
      ...here,
      part: { type: "summary_text", text: "" },
    };
    for (const delta of text.match(/\S+\s*/g) ?? []) {
      yield { type: "response.reasoning_summary_text.delta", ...here, delta };
    }
    yield { type: "response.reasoning_summary_text.done", ...here, text };
    yield { type: "response.reasoning_summary_part.done", ...here, part: { type: "summary_text", text } };
  }
}

function* callEvents(item: Extract<GeneratedItem, { type: "call" }>, at: At): Generator<SimulatedEvent> {
  const isFunction = item.tool.kind === "function";
  const type = isFunction ? "response.function_call_arguments" : "response.custom_tool_call_input";
  for (const { text } of item.pieces) yield { type: `${type}.delta`, ...at, delta: text };
  const text = textOfChunks(item.pieces);
  const whole = isFunction ? { arguments: text, name: item.tool.name } : { input: text };
  yield { type: `${type}.done`, ...at, ...whole };
}

function* messageEvents(answer: SimulatedResponse, item: GeneratedItem, at: At): Generator<SimulatedEvent> {
  const here = { ...at, content_index: 0 };
  yield { type: "response.content_part.added", ...here, part: simulatedPartStart(item) };
  yield* item.type === "refusal" ? refusalEvents(item, here) : textEvents(answer, item, here);
  yield { type: "response.content_part.done", ...here, part: simulatedPartEnd(answer, item) };
}

interface InPart extends At {
  readonly content_index: number;
}

function* refusalEvents(item: GeneratedItem, here: InPart): Generator<SimulatedEvent> {
  for (const { text } of item.pieces) yield { type: "response.refusal.delta", ...here, delta: text };
  yield { type: "response.refusal.done", ...here, refusal: textOfChunks(item.pieces) };
}

function* textEvents(
  answer: SimulatedResponse,
  item: GeneratedItem,
  here: InPart,
): Generator<SimulatedEvent> {
  for (const chunk of item.pieces) {
    const logprobs = tokenLogprobs(answer.request, [chunk]);
    yield { type: "response.output_text.delta", ...here, delta: chunk.text, logprobs };
  }
  const logprobs = tokenLogprobs(answer.request, item.pieces);
  yield { type: "response.output_text.done", ...here, text: textOfChunks(item.pieces), logprobs };
}

/** An event as bytes on the wire, with its place in the stream. */
export function encodeSseFrame(event: SimulatedEvent, sequence: number): string {
  const { type, ...rest } = event;
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...rest })}\n\n`;
}
