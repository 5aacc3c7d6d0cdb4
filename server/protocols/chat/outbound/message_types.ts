/** Messages of Chat Completions as we send them. */

import type { JsonObject } from "../../canonical/item.ts";
import type { RenderedContent } from "./render_parts.ts";

export interface InstructionMessage {
  readonly role: "system" | "developer";
  readonly content: RenderedContent;
  readonly name?: unknown;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: RenderedContent;
  readonly name?: unknown;
}

export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: unknown;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly JsonObject[];
}

export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: RenderedContent;
}

export type ChatMessage = InstructionMessage | UserMessage | AssistantMessage | ToolMessage;
