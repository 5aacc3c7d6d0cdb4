/** The request that is made of an advisor. */

import type { ContentPart, Item, MessageItem, Role } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { ToolInput } from "../tool_definition.ts";
import type { Exchange } from "../tool_memory.ts";
import type { advisorSettings } from "./advisor_settings.ts";
import { nestedRequest } from "./nested_request.ts";

interface Question {
  readonly settings: ReturnType<typeof advisorSettings>;
  readonly model: string;
  /** Empty where the transcript says it all. */
  readonly prompt: string;
  /** Earlier questions to this advisor and its advice. */
  readonly exchanges: readonly Exchange[];
}

export function advisorRequest(
  { request, transcript }: Pick<ToolInput, "request" | "transcript">,
  { settings, model, prompt, exchanges }: Question,
): ModelRequest {
  const { maxTokens, temperature, reasoning, cache, forwardsTranscript } = settings;
  const asked = messageOf("user", prompt === "" ? GO_ON : prompt);
  const before = forwardsTranscript ? transcript.flatMap(inWords) : exchanges.flatMap(messagesOf);
  return nestedRequest(request, {
    model,
    instructions: instructionsOf(settings, request),
    input: [...before, asked],
    maxOutputTokens: maxTokens,
    reasoning,
    cache,
    sampling: temperature === undefined ? {} : { temperature },
    plugins: exchanges.length === 0 ? [] : [{ id: "context-compression" }],
  });
}

const ADVISOR =
  "You advise another model, which asks you in the middle of its work. Give advice that it can act on: concrete, brief, " +
  "with its reasons. You have no tools, and nobody answers questions of yours.";
const GO_ON = "Advise the assistant of this conversation on how to go on.";

function instructionsOf(
  { instructions = ADVISOR, forwardsTranscript }: Question["settings"],
  { instructions: ofClient }: ModelRequest,
): string {
  return forwardsTranscript && ofClient
    ? `${instructions}\n\nInstructions of the assistant that asks:\n${ofClient}`
    : instructions;
}

const messageOf = (role: Role, text: string): MessageItem => ({
  type: "message",
  role,
  parts: [{ type: "text", text }],
});

const messagesOf = ({ prompt, advice }: Exchange): readonly Item[] => [
  messageOf("user", prompt),
  messageOf("assistant", advice),
];

/** Calls and results in words: the advisor has no such tools. */
function inWords(item: Item): readonly Item[] {
  switch (item.type) {
    case "message":
      return [item];
    case "call":
      return [messageOf("assistant", `[Called ${item.name} with ${item.arguments}]`)];
    case "result":
      return [messageOf("user", `[Result of the call]\n${textOf(item.output)}`)];
    case "foreign":
      return item.textFallback === undefined || item.textFallback === ""
        ? []
        : [messageOf("assistant", item.textFallback)];
    case "reasoning":
      return [];
    default:
      return item satisfies never;
  }
}

const textOf = (output: string | readonly ContentPart[]): string =>
  typeof output === "string"
    ? output
    : output.map((part) => part.type === "text" ? part.text : `[${part.type}]`).join("\n");
