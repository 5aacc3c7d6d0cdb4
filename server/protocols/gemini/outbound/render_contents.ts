/** Hub items → contents and the system instruction (specification, Clients, case 11). */

import type {
  Item,
  MessageItem,
  PassthroughItem,
  ReasoningItem,
  ToolResultItem,
} from "../../canonical/item.ts";
import { partsText } from "../../common/outbound/parts.ts";
import type { ToolNames } from "../../common/outbound/tool_names.ts";
import { answeredCalls, isClientAnswer, Turns } from "../../common/outbound/turns.ts";
import { type GeminiContent, type GeminiPart, renderParts } from "./render_parts.ts";
import type { ModelFamily } from "./model_family.ts";
import {
  addCall,
  addParts,
  addReasoning,
  addResult,
  createTurn,
  type ModelTurn,
  renderTurn,
} from "./render_model_turn.ts";
import { isGeminiReasoning } from "../../common/thought_signature.ts";

interface ContentsInput {
  readonly instructions?: string;
  readonly input: readonly Item[];
  readonly names: ToolNames;
  readonly family: ModelFamily;
}

export interface RenderedContents {
  readonly contents: readonly GeminiContent[];
  readonly system: readonly string[];
  readonly dropped: readonly string[];
}

/** The conversation while it is being written down. */
interface Draft {
  readonly from: ContentsInput;
  readonly contents: GeminiContent[];
  readonly system: string[];
  readonly dropped: string[];
  /** Calls that have a result somewhere in the input. */
  readonly answered: ReadonlySet<string>;
  readonly turns: Turns<GeminiPart, ModelTurn>;
}

export function renderContents(from: ContentsInput): RenderedContents {
  const answered = answeredCalls(from.input, (callId) => callId);
  const contents: GeminiContent[] = [];
  const turns = new Turns({ create: createTurn, write: (turn) => writeTurn(contents, turn) });
  const draft: Draft = { from, contents, system: [], dropped: [], answered, turns };
  if (from.instructions) draft.system.push(from.instructions);
  for (const item of from.input) addItem(draft, item);
  turns.end();
  return withUser(draft);
}

/** The provider wants a user to speak first; instructions alone are said by one. */
function withUser({ contents, system, dropped }: Draft): RenderedContents {
  const [first] = contents;
  if (first?.role === "user") return { contents, system, dropped };
  if (first === undefined) {
    return { contents: [{ role: "user", parts: system.map((text) => ({ text })) }], system: [], dropped };
  }
  return { contents: [{ role: "user", parts: [earlier] }, ...contents], system, dropped };
}

const earlier: GeminiPart = { text: "[What was said before is left out.]" };

function addItem(draft: Draft, item: Item): void {
  switch (item.type) {
    case "message":
      return addMessage(draft, item);
    case "reasoning":
      return addReasoningItem(draft, item);
    case "call":
      return addCall(draft.turns.open(), item, {
        names: draft.from.names,
        family: draft.from.family,
        answered: draft.answered.has(item.callId),
      });
    case "result":
      return addToolResult(draft, item);
    case "foreign":
      return addForeign(draft, item);
    default:
      return item satisfies never;
  }
}

function addMessage(draft: Draft, { role, parts }: MessageItem): void {
  if (role === "assistant") return addModelParts(draft, renderParts(parts));
  if (role === "user") return addUserParts(draft, renderParts(parts));
  return addInstruction(draft, { role, text: partsText(parts) });
}

/** There is one instruction, in front of everything; a later one keeps its place and says who gave it. */
function addInstruction(
  draft: Draft,
  { role, text }: { readonly role: string; readonly text: string },
): void {
  if (text === "") return;
  const first = draft.contents.length === 0 && draft.turns.current === undefined;
  if (first) draft.system.push(text);
  else addUserParts(draft, [{ text: `<${role}>\n${text}\n</${role}>` }]);
}

function addUserParts({ turns, contents }: Draft, parts: readonly GeminiPart[]): void {
  if (turns.passes(parts)) push(contents, { role: "user", parts });
}

function writeTurn(contents: GeminiContent[], turn: ModelTurn): void {
  for (const content of renderTurn(turn)) push(contents, content);
}

/**
 * Contents of the same role in a row become one. Answers to calls stand by themselves: the provider counts them
 * against the calls before them, and what a user says beside them must not be taken for one.
 */
function push(contents: GeminiContent[], content: GeminiContent): void {
  if (content.parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role !== content.role || hasAnswers(last) || hasAnswers(content)) {
    contents.push(content);
    return;
  }
  contents[contents.length - 1] = { ...last, parts: [...last.parts, ...content.parts] };
}

const hasAnswers = ({ parts }: GeminiContent) => parts.some((part) => part.functionResponse !== undefined);

function addModelParts(draft: Draft, parts: readonly GeminiPart[]): void {
  if (parts.length > 0) addParts(draft.turns.open(), parts);
}

/** Another model's thoughts mean nothing to this one, and as text it would take them for what was said. */
function addReasoningItem(draft: Draft, item: ReasoningItem): void {
  if (isGeminiReasoning(item)) addReasoning(draft.turns.open(), item);
  else draft.dropped.push("reasoning of another provider");
}

/**
 * A result whose call is not in the turn before it is reported in words: the provider takes none without its call.
 */
function addToolResult(draft: Draft, item: ToolResultItem): void {
  const turn = draft.turns.current;
  if (turn !== undefined && addResult(turn, item, draft.from.family)) return;
  const output = typeof item.output === "string" ? [{ text: item.output }] : renderParts(item.output);
  addUserParts(draft, [{ text: `Result of the tool call ${item.callId}:` }, ...output]);
}

/**
 * Adds what a hosted or server tool did in an earlier turn. An image that the model made goes back as one, so that it
 * can be changed; all else is reported in words, by whom it came from.
 */
function addForeign(draft: Draft, { kind, textFallback, value }: PassthroughItem): void {
  if (kind === "image_generation_call" && typeof value.result === "string" && value.result !== "") {
    const format = typeof value.output_format === "string" ? value.output_format : "png";
    return addModelParts(draft, [{ inlineData: { mimeType: `image/${format}`, data: value.result } }]);
  }
  if (textFallback === undefined || textFallback === "") return;
  if (isClientAnswer(kind)) return addUserParts(draft, [{ text: textFallback }]);
  addModelParts(draft, [{ text: textFallback }]);
}
