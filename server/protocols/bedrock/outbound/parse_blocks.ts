/** Blocks of the answer → items: how they open, grow and close. An item closes when the next one opens. */

import type { ModelEvent } from "../../../canonical/event.ts";
import type { CallItem, ReasoningItem } from "../../../canonical/item.ts";
import { endInput, readInput, startInput } from "../../common/outbound/parse_tool_input.ts";
import { namedToolOf } from "../../common/outbound/tool_names.ts";
import { FORMAT } from "./render_messages.ts";
import type { Delta } from "./response_schema.ts";
import { type BedrockState, inTurn, type Open, type Step } from "./parse_state.ts";

interface ToolUse {
  readonly toolUseId?: string | null;
  readonly name?: string | null;
}

/** Only calls are announced; texts and thoughts begin with their first words. */
export function startCall(state: BedrockState, { toolUseId, name }: ToolUse): Step {
  if (state.calls >= state.maxCalls) return [{ ...state, ignoring: true }, []];
  return inTurn({ ...state, ignoring: false }, [closeOpen, (now) => {
    const at = now.items;
    const tool = namedToolOf(now.names, name ?? "");
    const item: CallItem = { type: "call", ...tool, callId: toolUseId ?? "", arguments: "" };
    const input = tool.kind === "custom" ? { input: startInput } : {};
    const open: Open = { type: "call", at, empty: true, ...input };
    return [{ ...now, open, items: at + 1, calls: now.calls + 1 }, [{ type: "item", at, item }]];
  }]);
}

export function grow(state: BedrockState, { text, toolUse, reasoningContent }: Delta): Step {
  return inTurn(state, [
    (now) => reasoningContent ? think(now, reasoningContent) : [now, []],
    (now) => text ? speak(now, text) : [now, []],
    (now) => toolUse?.input ? growCall(now, toolUse.input) : [now, []],
  ]);
}

function speak(state: BedrockState, delta: string): Step {
  const { open } = state;
  if (open?.type === "message") return [state, [{ type: "text", at: open.at, part: 0, delta }]];
  return inTurn({ ...state, ignoring: false }, [closeOpen, (now) => {
    const at = now.items;
    const item = { type: "message", role: "assistant", parts: [] } as const;
    return [{ ...now, open: { type: "message", at }, items: at + 1 }, [{ type: "item", at, item }]];
  }, (now) => speak(now, delta)]);
}

type Thought = NonNullable<Delta["reasoningContent"]>;

function think(state: BedrockState, thought: Thought): Step {
  const { open } = state;
  // A seal ends a thought: what comes behind it is another one.
  const goesOn = open?.type === "reasoning" && open.signature === "" && open.encrypted === "";
  if (!goesOn && (thought.text || thought.signature || thought.redactedContent)) {
    return inTurn({ ...state, ignoring: false }, [
      closeOpen,
      openThought,
      (now) => growThought(now, thought),
    ]);
  }
  return growThought(state, thought);
}

function openThought(state: BedrockState): Step {
  const at = state.items;
  const open: Open = { type: "reasoning", at, thought: "", signature: "", encrypted: "" };
  const item: ReasoningItem = { type: "reasoning", thoughts: [], summary: [] };
  return [{ ...state, open, items: at + 1 }, [{ type: "item", at, item }]];
}

function growThought(state: BedrockState, { text, signature, redactedContent }: Thought): Step {
  const { open } = state;
  if (open?.type !== "reasoning") return [state, []];
  const grown: Open = {
    ...open,
    thought: open.thought + (text ?? ""),
    signature: open.signature + (signature ?? ""),
    encrypted: open.encrypted + (redactedContent ?? ""),
  };
  const events: ModelEvent[] = text ? [{ type: "thought", at: open.at, part: 0, delta: text }] : [];
  return [{ ...state, open: grown }, events];
}

function growCall(state: BedrockState, json: string): Step {
  const { open } = state;
  if (open?.type !== "call" || state.ignoring) return [state, []];
  if (open.input === undefined) {
    return [{ ...state, open: { ...open, empty: false } }, [{ type: "arguments", at: open.at, delta: json }]];
  }
  const [input, delta] = readInput(open.input, json);
  const next = { ...state, open: { ...open, empty: false, input } };
  return [next, delta === "" ? [] : [{ type: "arguments", at: open.at, delta }]];
}

/** Closes the item that is open, if any. */
export function closeOpen(state: BedrockState): Step {
  const { open } = state;
  if (open === undefined) return [state, []];
  return [{ ...state, open: undefined }, closing(open)];
}

function closing(open: Open): readonly ModelEvent[] {
  switch (open.type) {
    case "message":
      return [{ type: "item_done", at: open.at }];
    case "reasoning":
      return [{ type: "item_done", at: open.at, item: thoughtOf(open) }];
    case "call": {
      const delta = open.input === undefined ? (open.empty ? "{}" : "") : endInput(open.input);
      const rest: ModelEvent[] = delta === "" ? [] : [{ type: "arguments", at: open.at, delta }];
      return [...rest, { type: "item_done", at: open.at }];
    }
    default:
      return open satisfies never;
  }
}

/** A sealed thought is told once more as a whole: its seal came after the item opened. */
function thoughtOf({ thought, signature, encrypted }: Extract<Open, { type: "reasoning" }>): ReasoningItem {
  const sealed = signature !== "" || encrypted !== "";
  return {
    type: "reasoning",
    thoughts: thought === "" ? [] : [thought],
    summary: [],
    ...(signature === "" ? {} : { signature }),
    ...(encrypted === "" ? {} : { encrypted }),
    ...(sealed ? { format: FORMAT } : {}),
  };
}
