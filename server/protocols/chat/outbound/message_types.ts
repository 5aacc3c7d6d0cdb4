/** Messages of Chat Completions as we send them. */

import type { Json } from "../../../canonical/item.ts";
import type { Content } from "./render_parts.ts";

export interface InstructionMessage {
  readonly role: "system" | "developer";
  readonly content: Content;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: Content;
}

export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly Json[];
}

export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: Content;
}

export type ChatMessage = InstructionMessage | UserMessage | AssistantMessage | ToolMessage;
