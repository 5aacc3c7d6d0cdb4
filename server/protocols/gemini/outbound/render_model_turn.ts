/**
 * One turn of the model and what answers it: one model content, right behind it one content with an answer to each
 * of its calls, then the rest.
 */

import { callInput } from "../../canonical/call_arguments.ts";
import type {
  ContentPart as HubPart,
  ReasoningItem,
  ToolCallItem,
  ToolResultItem,
} from "../../canonical/item.ts";
import { nonTextParts, partsText } from "../../common/outbound/parts.ts";
import { type ToolNames, wireNameOf } from "../../common/outbound/tool_names.ts";
import type { Turn } from "../../common/outbound/turns.ts";
import { type GeminiContent, type GeminiPart, renderParts, toInlineData } from "./render_parts.ts";
import type { ModelFamily } from "./model_family.ts";
import { readSignature, UNKNOWN_SIGNATURE } from "../../common/thought_signature.ts";

export interface ModelTurn extends Turn<GeminiPart> {
  readonly parts: GeminiPart[];
  /** A signature that waits for the part it seals. */
  signature: string | undefined;
  readonly calls: { readonly id: string; readonly name: string }[];
  readonly results: Map<string, GeminiPart>;
  /** Parts of results that may not stand in them: they follow. */
  readonly attached: GeminiPart[];
}

export const createTurn = (): ModelTurn => ({
  parts: [],
  signature: undefined,
  calls: [],
  results: new Map(),
  attached: [],
  awaited: new Set(),
  held: [],
});

export function addParts(turn: ModelTurn, parts: readonly GeminiPart[]): void {
  const [first, ...rest] = parts;
  if (first === undefined) return;
  turn.parts.push(signed(first, turn.signature), ...rest);
  turn.signature = undefined;
}

const signed = (part: GeminiPart, signature: string | undefined): GeminiPart =>
  signature === undefined ? part : { ...part, thoughtSignature: signature };

/** Thoughts go back as they came; their signature belongs to what follows them. */
export function addReasoning(turn: ModelTurn, item: ReasoningItem): void {
  const signature = readSignature(item);
  if (signature !== undefined) signLastPart(turn);
  const thoughts = [...item.content, ...item.summary].filter((text) => text !== "");
  turn.parts.push(...thoughts.map((text): GeminiPart => ({ text, thought: true })));
  turn.signature = signature ?? turn.signature;
}

/** A signature that nothing followed goes back as the provider sends late ones: on an empty text. */
function signLastPart(turn: ModelTurn): void {
  if (turn.signature !== undefined) addParts(turn, [{ text: "" }]);
}

interface RenderCallOptions {
  readonly names: ToolNames;
  readonly family: ModelFamily;
  /** Whether its result is somewhere in the conversation. */
  readonly answered: boolean;
}

/** Adds a call; of calls side by side only the first is signed. */
export function addCall(
  turn: ModelTurn,
  item: ToolCallItem,
  { names, family, answered }: RenderCallOptions,
): void {
  const name = wireNameOf(names, item);
  if (family.wantsSignatures && turn.calls.length === 0) turn.signature ??= UNKNOWN_SIGNATURE;
  addParts(turn, [{ functionCall: { id: item.callId, name, args: callInput(item) } }]);
  turn.calls.push({ id: item.callId, name });
  if (answered) turn.awaited.add(item.callId);
}

/** False when the result's call is not in the turn, or has one already. */
export function addResult(turn: ModelTurn, item: ToolResultItem, family: ModelFamily): boolean {
  const call = turn.calls.find(({ id }) => id === item.callId);
  if (call === undefined || turn.results.has(call.id)) return false;
  const media = typeof item.output === "string" ? [] : nonTextParts(item.output);
  const inside = family.mediaInResults ? media.flatMap(inlineOf) : [];
  const attached = family.mediaInResults ? media.filter((part) => inlineOf(part).length === 0) : media;
  const functionResponse = {
    id: call.id,
    name: call.name,
    response: { [isFailed(item) ? "error" : "output"]: outputOf(item, attached.length > 0) },
    ...(inside.length === 0 ? {} : { parts: inside }),
  };
  turn.awaited.delete(call.id);
  turn.results.set(call.id, { functionResponse });
  turn.attached.push(...renderParts(attached));
  return true;
}

/** Clients of the Messages API say so. */
const isFailed = ({ extra }: ToolResultItem): boolean => extra?.messages?.is_error === true;

const inlineOf = (part: HubPart) =>
  part.type === "image" && part.url?.startsWith("data:") ? [{ inlineData: toInlineData(part.url) }] : [];

function outputOf({ output }: ToolResultItem, attached: boolean): string {
  if (typeof output === "string") return output;
  const text = partsText(output);
  return text === "" && attached ? "See the attachment below." : text;
}

/** The contents of a turn, in the one order that the provider takes. */
export function renderTurn(turn: ModelTurn): readonly GeminiContent[] {
  signLastPart(turn);
  const { parts, attached, held } = turn;
  const model: GeminiContent = { role: "model", parts };
  const answers = turn.calls.map((call) => turn.results.get(call.id) ?? unanswered(call));
  const received = [...(attached.length === 0 ? [] : [intro, ...attached]), ...held];
  return [model, { role: "user" as const, parts: answers }, { role: "user" as const, parts: received }]
    .filter((content) => content.parts.length > 0);
}

const intro: GeminiPart = { text: "Attached to the tool results above:" };

/** Every call must have an answer right behind it, so one that the caller never gave is told as missing. */
const unanswered = ({ id, name }: { readonly id: string; readonly name: string }): GeminiPart => ({
  functionResponse: { id, name, response: { error: "The tool gave no result." } },
});
