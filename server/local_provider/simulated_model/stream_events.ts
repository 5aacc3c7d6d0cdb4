/** The answer as a stream of the Responses wire: every event in the original's order, with its fields. */

import { pictureEvents } from "../images/image_item.ts";
import {
  type Answer,
  doneItem,
  donePart,
  finalResponse,
  logprobsOf,
  openItem,
  openPart,
  openResponse,
} from "./response_objects.ts";
import { type Spoken, textOfPieces } from "./generate_output.ts";

/** An event without its sequence number. */
export type WireEvent = Readonly<{ type: string } & Record<string, unknown>>;

/** All events; `now` gives the Unix seconds at the end. */
export function* eventsOf(answer: Answer, now: () => number): Generator<WireEvent> {
  yield { type: "response.created", response: openResponse(answer) };
  yield { type: "response.in_progress", response: openResponse(answer) };
  for (const [index, item] of answer.speech.items.entries()) {
    yield { type: "response.output_item.added", output_index: index, item: openItem(item) };
    yield* itemEvents(answer, item, { item_id: item.id, output_index: index });
    yield { type: "response.output_item.done", output_index: index, item: doneItem(answer, item) };
  }
  const response = finalResponse(answer, now());
  yield { type: answer.speech.whole ? "response.completed" : "response.incomplete", response };
}

/** What names an item in its events. */
interface At {
  readonly item_id: string;
  readonly output_index: number;
}

function* itemEvents(answer: Answer, item: Spoken, at: At): Generator<WireEvent> {
  if (item.type === "reasoning") yield* summaryEvents(item.summary, at);
  else if (item.type === "call") yield* callEvents(item, at);
  else if (item.type === "picture") yield* pictureEvents(item, { album: answer.album, at });
  else yield* messageEvents(answer, item, at);
}

function* summaryEvents(summary: readonly string[], at: At): Generator<WireEvent> {
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

function* callEvents(item: Extract<Spoken, { type: "call" }>, at: At): Generator<WireEvent> {
  const isFunction = item.tool.kind === "function";
  const type = isFunction ? "response.function_call_arguments" : "response.custom_tool_call_input";
  for (const { text } of item.pieces) yield { type: `${type}.delta`, ...at, delta: text };
  const text = textOfPieces(item.pieces);
  const whole = isFunction ? { arguments: text, name: item.tool.name } : { input: text };
  yield { type: `${type}.done`, ...at, ...whole };
}

function* messageEvents(answer: Answer, item: Spoken, at: At): Generator<WireEvent> {
  const here = { ...at, content_index: 0 };
  yield { type: "response.content_part.added", ...here, part: openPart(item) };
  yield* item.type === "refusal" ? refusalEvents(item, here) : textEvents(answer, item, here);
  yield { type: "response.content_part.done", ...here, part: donePart(answer, item) };
}

interface InPart extends At {
  readonly content_index: number;
}

function* refusalEvents(item: Spoken, here: InPart): Generator<WireEvent> {
  for (const { text } of item.pieces) yield { type: "response.refusal.delta", ...here, delta: text };
  yield { type: "response.refusal.done", ...here, refusal: textOfPieces(item.pieces) };
}

function* textEvents(answer: Answer, item: Spoken, here: InPart): Generator<WireEvent> {
  for (const piece of item.pieces) {
    const logprobs = logprobsOf(answer.asked, [piece]);
    yield { type: "response.output_text.delta", ...here, delta: piece.text, logprobs };
  }
  const logprobs = logprobsOf(answer.asked, item.pieces);
  yield { type: "response.output_text.done", ...here, text: textOfPieces(item.pieces), logprobs };
}

/** An event as bytes on the wire, with its place in the stream. */
export function frameOf(event: WireEvent, sequence: number): string {
  const { type, ...rest } = event;
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...rest })}\n\n`;
}
