/** Blocks of the answer → items: how they open, grow and close. An item closes when the next one opens. */

import type { ModelEvent } from "../../canonical/event.ts";
import type { ReasoningItem, ToolCallItem } from "../../canonical/item.ts";
import { initialToolInput, readToolInput, restOfArguments } from "../../common/outbound/parse_tool_input.ts";
import { toolByWireName } from "../../common/outbound/tool_names.ts";
import { REASONING_FORMAT } from "./render_messages.ts";
import type { BlockDelta } from "./response_schema.ts";
import type { BedrockState, OpenItem, ParseStep } from "./parse_state.ts";
import { runSteps } from "../../stream/state_machine.ts";

interface ToolUse {
  readonly toolUseId?: string | null;
  readonly name?: string | null;
}

/** Only calls are announced; texts and thoughts begin with their first words. */
export function startToolCall(state: BedrockState, { toolUseId, name }: ToolUse): ParseStep {
  if (state.calls >= state.maxCalls) return [{ ...state, ignoring: true }, []];
  return runSteps({ ...state, ignoring: false }, [closeOpenItem, (now) => {
    const at = now.items;
    const tool = toolByWireName(now.names, name ?? "");
    const item: ToolCallItem = { type: "call", ...tool, callId: toolUseId ?? "", arguments: "" };
    const input = tool.kind === "custom" ? { input: initialToolInput } : {};
    const open: OpenItem = { type: "call", at, empty: true, ...input };
    return [{ ...now, open, items: at + 1, calls: now.calls + 1 }, [{ type: "item", itemKey: at, item }]];
  }]);
}

export function appendDelta(state: BedrockState, { text, toolUse, reasoningContent }: BlockDelta): ParseStep {
  return runSteps(state, [
    (now) => reasoningContent ? appendReasoning(now, reasoningContent) : [now, []],
    (now) => text ? appendText(now, text) : [now, []],
    (now) => toolUse?.input ? appendArguments(now, toolUse.input) : [now, []],
  ]);
}

function appendText(state: BedrockState, delta: string): ParseStep {
  const { open } = state;
  if (open?.type === "message") return [state, [{ type: "text", itemKey: open.at, part: 0, delta }]];
  return runSteps({ ...state, ignoring: false }, [closeOpenItem, (now) => {
    const at = now.items;
    const item = { type: "message", role: "assistant", parts: [] } as const;
    return [{ ...now, open: { type: "message", at }, items: at + 1 }, [{ type: "item", itemKey: at, item }]];
  }, (now) => appendText(now, delta)]);
}

type ReasoningDelta = NonNullable<BlockDelta["reasoningContent"]>;

function appendReasoning(state: BedrockState, thought: ReasoningDelta): ParseStep {
  const { open } = state;
  // A seal ends a thought: what comes behind it is another one.
  const goesOn = open?.type === "reasoning" && open.signature === "" && open.encrypted === "";
  if (!goesOn && (thought.text || thought.signature || thought.redactedContent)) {
    return runSteps({ ...state, ignoring: false }, [
      closeOpenItem,
      openReasoning,
      (now) => appendReasoningText(now, thought),
    ]);
  }
  return appendReasoningText(state, thought);
}

function openReasoning(state: BedrockState): ParseStep {
  const at = state.items;
  const open: OpenItem = { type: "reasoning", at, thought: "", signature: "", encrypted: "" };
  const item: ReasoningItem = { type: "reasoning", content: [], summary: [] };
  return [{ ...state, open, items: at + 1 }, [{ type: "item", itemKey: at, item }]];
}

function appendReasoningText(
  state: BedrockState,
  { text, signature, redactedContent }: ReasoningDelta,
): ParseStep {
  const { open } = state;
  if (open?.type !== "reasoning") return [state, []];
  const grown: OpenItem = {
    ...open,
    thought: open.thought + (text ?? ""),
    signature: open.signature + (signature ?? ""),
    encrypted: open.encrypted + (redactedContent ?? ""),
  };
  const events: ModelEvent[] = text ? [{ type: "thought", itemKey: open.at, part: 0, delta: text }] : [];
  return [{ ...state, open: grown }, events];
}

function appendArguments(state: BedrockState, json: string): ParseStep {
  const { open } = state;
  if (open?.type !== "call" || state.ignoring) return [state, []];
  if (open.input === undefined) {
    return [{ ...state, open: { ...open, empty: false } }, [{
      type: "arguments",
      itemKey: open.at,
      delta: json,
    }]];
  }
  const [input, delta] = readToolInput(open.input, json);
  const next = { ...state, open: { ...open, empty: false, input } };
  return [next, delta === "" ? [] : [{ type: "arguments", itemKey: open.at, delta }]];
}

/** Closes the item that is open, if any. */
export function closeOpenItem(state: BedrockState): ParseStep {
  const { open } = state;
  if (open === undefined) return [state, []];
  return [{ ...state, open: undefined }, closing(open)];
}

function closing(open: OpenItem): readonly ModelEvent[] {
  switch (open.type) {
    case "message":
      return [{ type: "item_done", itemKey: open.at }];
    case "reasoning":
      return [{ type: "item_done", itemKey: open.at, item: reasoningItemOf(open) }];
    case "call": {
      const delta = restOfArguments(open);
      const rest: ModelEvent[] = delta === "" ? [] : [{ type: "arguments", itemKey: open.at, delta }];
      return [...rest, { type: "item_done", itemKey: open.at }];
    }
    default:
      return open satisfies never;
  }
}

/** A sealed thought is told once more as a whole: its seal came after the item opened. */
function reasoningItemOf(
  { thought, signature, encrypted }: Extract<OpenItem, { type: "reasoning" }>,
): ReasoningItem {
  const sealed = signature !== "" || encrypted !== "";
  return {
    type: "reasoning",
    content: thought === "" ? [] : [thought],
    summary: [],
    ...(signature === "" ? {} : { signature }),
    ...(encrypted === "" ? {} : { encrypted }),
    ...(sealed ? { format: REASONING_FORMAT } : {}),
  };
}
