/** Parts of the model's content → items. Unlike elsewhere, calls and pictures come whole; only texts grow. */

import type { ModelEvent, TextEvent } from "../../../canonical/event.ts";
import type { CallItem, ForeignItem, Logprob } from "../../../canonical/item.ts";
import { namedToolOf } from "../../common/outbound/tool_names.ts";
import { endInput, readInput, startInput } from "../../common/outbound/parse_tool_input.ts";
import { openReasoning, sealNext, withSignature } from "./parse_item_end.ts";
import type { AnswerPart } from "./response_schema.ts";
import { type GeminiState, inTurn, type OpenMessage, type Step } from "./parse_state.ts";

export interface PartOptions {
  /** Of the chunk's text, which is told in one piece. */
  readonly logprobs?: readonly Logprob[];
}

export function stepPart(state: GeminiState, part: AnswerPart, { logprobs }: PartOptions): Step {
  const signature = part.thoughtSignature || undefined;
  if (part.functionCall) return stepCall(state, part);
  if (part.inlineData) return part.thought ? [state, []] : showPicture(state, part);
  const text = textOf(part);
  if (part.thought) return think(state, { text, signature });
  return speak(state, { text, signature, logprobs });
}

/** The provider's own tools are not asked for; what they do anyway is told in the text. */
function textOf({ text, executableCode: code, codeExecutionResult: result }: AnswerPart): string {
  if (code?.code) return `\n\`\`\`${code.language?.toLowerCase() ?? ""}\n${code.code}\n\`\`\`\n`;
  if (result?.output) return `\n\`\`\`\n${result.output}\n\`\`\`\n`;
  return text ?? "";
}

interface Speech {
  readonly text: string;
  readonly signature?: string;
  readonly logprobs?: readonly Logprob[];
}

/** The provider tells summaries of thoughts, never the thoughts themselves. */
function think(state: GeminiState, { text, signature }: Speech): Step {
  return inTurn(state, [
    ...(text === "" ? [] : [openReasoning, (now: GeminiState) => growThought(now, text)]),
    ...(signature === undefined ? [] : [(now: GeminiState) => sealLate(now, signature)]),
  ]);
}

function growThought(state: GeminiState, text: string): Step {
  const { open } = state;
  if (open?.type !== "reasoning") return [state, []];
  const event: TextEvent = { type: "summary", at: open.at, part: 0, delta: text };
  return [{ ...state, open: { ...open, summary: open.summary + text } }, [event]];
}

function speak(state: GeminiState, { text, signature, logprobs }: Speech): Step {
  if (text === "") return signature === undefined ? [state, []] : sealLate(state, signature);
  const late = signature !== undefined && state.open?.type === "message";
  return inTurn(state, [
    (now) => openMessage(now, signature),
    (now) => growMessage(now, { text, logprobs }),
    ...(late ? [(now: GeminiState) => sealLate(now, signature)] : []),
  ]);
}

/** A signature for what was told already waits in the item that is open, or stands by itself. */
function sealLate(state: GeminiState, signature: string): Step {
  return state.open === undefined ? sealNext(state, signature) : withSignature(state, signature);
}

function openMessage(state: GeminiState, signature: string | undefined): Step {
  if (state.open?.type === "message") return [state, []];
  return inTurn(state, [(now) => sealNext(now, signature), (now) => {
    const open: OpenMessage = { type: "message", at: now.items, text: "" };
    const item = { type: "message", role: "assistant", parts: [] } as const;
    return [{ ...now, open, items: now.items + 1 }, [{ type: "item", at: open.at, item }]];
  }]);
}

function growMessage(state: GeminiState, { text, logprobs }: Speech): Step {
  const { open } = state;
  if (open?.type !== "message") return [state, []];
  const event: TextEvent = {
    type: "text",
    at: open.at,
    part: 0,
    delta: text,
    ...(logprobs === undefined || logprobs.length === 0 ? {} : { logprobs }),
  };
  return [{ ...state, open: { ...open, text: open.text + text } }, [event]];
}

function stepCall(state: GeminiState, part: AnswerPart): Step {
  if (state.calls.length >= state.asked.maxCalls) return [state, []];
  return inTurn(state, [
    (now) => sealNext(now, part.thoughtSignature || undefined),
    (now) => makeCall(now, part),
  ]);
}

/** An id that an earlier call has already is none: results could not be told apart. */
function makeCall(state: GeminiState, { functionCall: called }: AnswerPart): Step {
  if (!called) return [state, []];
  const { kind, name, namespace } = namedToolOf(state.asked.names, called.name);
  const callId = called.id && !state.calls.includes(called.id) ? called.id : "";
  const item: CallItem = {
    type: "call",
    kind,
    callId,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: "",
  };
  const at = state.items;
  const text = JSON.stringify(called.args ?? {});
  const delta = kind === "custom" ? inputIn(text) : text;
  const events: readonly ModelEvent[] = [
    { type: "item", at, item },
    ...(delta === "" ? [] : [{ type: "arguments" as const, at, delta }]),
    { type: "item_done", at },
  ];
  return [{ ...state, items: at + 1, calls: [...state.calls, callId] }, events];
}

function inputIn(text: string): string {
  const [reader, input] = readInput(startInput, text);
  return input + endInput(reader);
}

/**
 * Pictures come whole. The hub has no word for a picture that a model put out, so it is told in the words of the
 * Responses wire, which does.
 */
function showPicture(state: GeminiState, { inlineData, thoughtSignature }: AnswerPart): Step {
  const format = /^image\/([a-z0-9.+-]+)$/i.exec(inlineData?.mimeType ?? "")?.[1];
  if (!inlineData?.data || format === undefined) return [state, []];
  const value = { type: "image_generation_call", output_format: format };
  const item = { type: "foreign", wire: "responses", kind: "image_generation_call" } as const;
  const opened: ForeignItem = { ...item, value: { ...value, status: "in_progress", result: null } };
  const whole: ForeignItem = { ...item, value: { ...value, status: "completed", result: inlineData.data } };
  return inTurn(state, [
    (now) => sealNext(now, thoughtSignature || undefined),
    (now) => [{ ...now, items: now.items + 1 }, [
      { type: "item", at: now.items, item: opened },
      { type: "item_done", at: now.items, item: whole },
    ]],
  ]);
}
