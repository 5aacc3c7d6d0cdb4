/** Parts of the model's content → items. Unlike elsewhere, calls and images come whole; only texts grow. */

import { writeCallArguments } from "../../canonical/call_arguments.ts";
import type { ModelEvent, TextEvent } from "../../canonical/event.ts";
import type { Logprob, PassthroughItem, ToolCallItem } from "../../canonical/item.ts";
import { renderExtraContent } from "../../common/thought_signature.ts";
import { toolByWireName } from "../../common/outbound/tool_names.ts";
import { endToolInput, initialToolInput, readToolInput } from "../../common/outbound/parse_tool_input.ts";
import { attachSignature, openReasoning, withSignature } from "./parse_item_end.ts";
import type { Logprobs, LogprobToken, ResponsePart } from "./response_schema.ts";
import type { GeminiState, OpenMessage, ParseStep } from "./parse_state.ts";
import { runSteps } from "../../stream/state_machine.ts";

interface PartOptions {
  /** Likelihoods of the tokens of the chunk's text, which is emitted in one chunk. */
  readonly logprobs?: readonly Logprob[];
}

export function stepPart(state: GeminiState, part: ResponsePart, { logprobs }: PartOptions): ParseStep {
  const signature = part.thoughtSignature || undefined;
  if (part.functionCall) return stepCall(state, part);
  if (part.inlineData) return part.thought ? [state, []] : emitImage(state, part);
  const text = textOf(part);
  if (part.thought) return appendReasoning(state, { text, signature });
  return appendMessageText(state, { text, signature, logprobs });
}

/** The provider's own tools are not asked for; what they do anyway is reported in the text. */
function textOf({ text, executableCode, codeExecutionResult }: ResponsePart): string {
  if (executableCode?.code) {
    return `\n\`\`\`${executableCode.language?.toLowerCase() ?? ""}\n${executableCode.code}\n\`\`\`\n`;
  }
  if (codeExecutionResult?.output) return `\n\`\`\`\n${codeExecutionResult.output}\n\`\`\`\n`;
  return text ?? "";
}

interface PartText {
  readonly text: string;
  readonly signature?: string;
  readonly logprobs?: readonly Logprob[];
}

/** The provider tells summaries of thoughts, never the thoughts themselves. */
function appendReasoning(state: GeminiState, { text, signature }: PartText): ParseStep {
  return runSteps(state, [
    ...(text === "" ? [] : [openReasoning, (now: GeminiState) => appendReasoningText(now, text)]),
    ...(signature === undefined ? [] : [(now: GeminiState) => addLateSignature(now, signature)]),
  ]);
}

function appendReasoningText(state: GeminiState, text: string): ParseStep {
  const { open } = state;
  if (open?.type !== "reasoning") return [state, []];
  const event: TextEvent = { type: "summary", itemKey: open.at, part: 0, delta: text };
  return [{ ...state, open: { ...open, summary: open.summary + text } }, [event]];
}

function appendMessageText(state: GeminiState, { text, signature, logprobs }: PartText): ParseStep {
  if (text === "") return signature === undefined ? [state, []] : addLateSignature(state, signature);
  const late = signature !== undefined && state.open?.type === "message";
  return runSteps(state, [
    (now) => openMessage(now, signature),
    (now) => growMessage(now, { text, logprobs }),
    ...(late ? [(now: GeminiState) => addLateSignature(now, signature)] : []),
  ]);
}

/** A signature for what was told already waits in the item that is open, or stands by itself. */
function addLateSignature(state: GeminiState, signature: string): ParseStep {
  return state.open === undefined ? attachSignature(state, signature) : withSignature(state, signature);
}

function openMessage(state: GeminiState, signature: string | undefined): ParseStep {
  if (state.open?.type === "message") return [state, []];
  return runSteps(state, [(now) => attachSignature(now, signature), (now) => {
    const open: OpenMessage = { type: "message", at: now.items, text: "" };
    const item = { type: "message", role: "assistant", parts: [] } as const;
    return [{ ...now, open, items: now.items + 1 }, [{ type: "item", itemKey: open.at, item }]];
  }]);
}

function growMessage(state: GeminiState, { text, logprobs }: PartText): ParseStep {
  const { open } = state;
  if (open?.type !== "message") return [state, []];
  const event: TextEvent = {
    type: "text",
    itemKey: open.at,
    part: 0,
    delta: text,
    ...(logprobs === undefined || logprobs.length === 0 ? {} : { logprobs }),
  };
  return [{ ...state, open: { ...open, text: open.text + text } }, [event]];
}

function stepCall(state: GeminiState, part: ResponsePart): ParseStep {
  if (state.calls.length >= state.context.maxCalls) return [state, []];
  return runSteps(state, [
    (now) => attachSignature(now, part.thoughtSignature || undefined),
    (now) => makeCall(now, part),
  ]);
}

/** An id that an earlier call has already is none: results could not be told apart. */
function makeCall(state: GeminiState, { functionCall, thoughtSignature }: ResponsePart): ParseStep {
  if (!functionCall) return [state, []];
  const { kind, name, namespace } = toolByWireName(state.context.names, functionCall.name);
  const callId = functionCall.id && !state.calls.includes(functionCall.id) ? functionCall.id : "";
  const item: ToolCallItem = {
    type: "call",
    kind,
    callId,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: "",
    ...(thoughtSignature ? { extra: { chat: renderExtraContent(thoughtSignature) } } : {}),
  };
  const at = state.items;
  const text = writeCallArguments(functionCall.args ?? {});
  const delta = kind === "custom" ? inputIn(text) : text;
  const events: readonly ModelEvent[] = [
    { type: "item", itemKey: at, item },
    ...(delta === "" ? [] : [{ type: "arguments" as const, itemKey: at, delta }]),
    { type: "item_done", itemKey: at },
  ];
  return [{ ...state, items: at + 1, calls: [...state.calls, callId] }, events];
}

function inputIn(text: string): string {
  const [reader, input] = readToolInput(initialToolInput, text);
  return input + endToolInput(reader);
}

/**
 * Images come whole. The canonical model has no word for an image that a model put out, so it is reported in the
 * words of the Responses wire, which does.
 */
function emitImage(state: GeminiState, { inlineData, thoughtSignature }: ResponsePart): ParseStep {
  const format = /^image\/([a-z0-9.+-]+)$/i.exec(inlineData?.mimeType ?? "")?.[1];
  if (!inlineData?.data || format === undefined) return [state, []];
  const value = { type: "image_generation_call", output_format: format };
  const item = { type: "foreign", wire: "responses", kind: "image_generation_call" } as const;
  const opened: PassthroughItem = { ...item, value: { ...value, status: "in_progress", result: null } };
  const whole: PassthroughItem = {
    ...item,
    value: { ...value, status: "completed", result: inlineData.data },
  };
  return runSteps(state, [
    (now) => attachSignature(now, thoughtSignature || undefined),
    (now) => [{ ...now, items: now.items + 1 }, [
      { type: "item", itemKey: now.items, item: opened },
      { type: "item_done", itemKey: now.items, item: whole },
    ]],
  ]);
}

/** Two lists side by side: what was chosen at each step, and what else might have been. */
export function parseLogprobs({ chosenCandidates, topCandidates }: Logprobs): readonly Logprob[] {
  return (chosenCandidates ?? []).map((chosen, at) => {
    const top = topCandidates?.[at]?.candidates;
    return { ...one(chosen), ...(top ? { top_logprobs: top.map(one) } : {}) };
  });
}

/** Zero, the certain token's, is left out by the provider. */
const one = ({ token, logProbability }: LogprobToken) => ({
  token: token ?? "",
  logprob: logProbability ?? 0,
});
