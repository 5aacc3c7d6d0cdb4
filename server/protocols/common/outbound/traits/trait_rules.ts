/** Every trait with what it does: the table that the documents and the tests read too. */

import type { HostTrait } from "../../../canonical/endpoint_words.ts";
import {
  withAnsweredTools,
  withBlockMarks,
  withCallReasoning,
  withKnownBetas,
  withoutCallIds,
  withoutCallSignatures,
  withPrefixMark,
  withUniqueDocuments,
} from "./edit_call.ts";
import { withoutNames, withPublishedFields } from "./edit_fields.ts";
import { withReasoningObject, withThinkingSwitch } from "./edit_reasoning.ts";
import {
  withAlternatingTurns,
  withShortCallIds,
  withSystemFirst,
  withUserLast,
} from "./edit_conversation.ts";
import {
  withAutoChoice,
  withObjectSchemas,
  withOnlyNamedTool,
  withoutJsonMode,
  withoutJsonSchema,
  withoutNoneChoice,
  withoutTools,
} from "./edit_tools.ts";
import { withListedSampling, withoutSampling, withoutStop } from "./edit_sampling.ts";
import type { TraitRule } from "./trait_rule.ts";

/** Betas of Anthropic's that Vertex AI takes, by Anthropic's names. */
const vertexBetas: ReadonlyMap<string, string> = new Map([
  ["advanced-tool-use-2025-11-20", "tool-search-tool-2025-10-19"],
  ...[
    "compact-2026-01-12",
    "compact-2026-09-04",
    "computer-use-2025-01-24",
    "computer-use-2025-11-24",
    "context-1m-2025-08-07",
    "context-management-2025-06-27",
    "dangerous-tool-use-2026-09-03",
    "interleaved-thinking-2025-05-14",
    "per-turn-control-2026-07-01",
    "thinking-binding-controls-2026-08-01",
    "thinking-display-updates-2026-08-18",
    "tool-search-tool-2025-10-19",
    "web-search-2025-03-05",
  ].map((name) => [name, name] as const),
]);

const withoutPenalties = withoutSampling(["frequencyPenalty", "presencePenalty"]);
const withoutDrawing = withoutSampling(["temperature", "topP", "frequencyPenalty", "presencePenalty"]);

export const traitRules: { readonly [T in HostTrait]: TraitRule } = {
  system_first: {
    says: "takes instructions in front only",
    sent: "later system and developer messages, joined with the first",
    edits: "request",
    edit: withSystemFirst,
  },
  alternating_turns: {
    says: "wants turns of user and assistant to alternate",
    sent: "messages of one role in a row as one",
    edits: "request",
    edit: withAlternatingTurns,
  },
  user_last: {
    says: "wants the user to speak last",
    sent: '"Continue." behind a last message of the assistant',
    edits: "request",
    edit: withUserLast,
  },
  object_schemas: {
    says: "takes parameters of tools as an object with properties, without a choice at the root",
    sent: "`properties`, where there are none; the keys of all choices together",
    edits: "request",
    edit: withObjectSchemas,
  },
  no_tools: {
    says: "has no tools",
    sent: "without them; a forced call goes to another endpoint, or is refused",
    edits: "request",
    edit: withoutTools,
  },
  auto_choice_only: {
    says: "leaves it to the model whether it calls a tool",
    sent: "without `tool_choice`; a forced call goes to another endpoint, or is refused",
    edits: "request",
    edit: withAutoChoice,
  },
  no_named_choice: {
    says: "cannot be told which tool to call",
    sent: "that tool alone, with `required`",
    edits: "request",
    edit: withOnlyNamedTool,
  },
  no_none_choice: {
    says: "cannot be told to call none of the tools",
    sent: "no tools",
    edits: "request",
    edit: withoutNoneChoice,
  },
  no_json_object: {
    says: "has no `json_object`",
    sent: "a schema of any object",
    edits: "request",
    edit: withoutJsonMode,
  },
  no_json_schema: {
    says: "takes no schema of the answer",
    sent: "the schema in words, and `json_object`",
    edits: "request",
    edit: withoutJsonSchema,
  },
  short_call_ids: {
    says: "takes ids of calls that are nine letters and digits",
    sent: "such ids, made of the others",
    edits: "request",
    edit: withShortCallIds,
  },
  letter_names: {
    says: "takes names of tools that begin with a letter",
    sent: "`t` in front of a digit or a hyphen; answers have the tool's own name",
    edits: "nothing",
    wires: ["chat", "gemini"],
  },
  listed_sampling: {
    says: "takes of `temperature`, `top_p` and the penalties what its model's row lists",
    sent: "without the others",
    edits: "request",
    edit: withListedSampling,
  },
  fixed_sampling: {
    says: "samples as it likes",
    sent: "without `temperature`, `top_p`, the penalties and `stop`",
    edits: "request",
    edit: (request, context) => withoutStop(withoutDrawing(request, context), context),
  },
  no_penalties: {
    says: "takes no penalties and no `stop`",
    sent: "without them",
    edits: "request",
    edit: (request, context) => withoutStop(withoutPenalties(request, context), context),
  },
  thinking_switch: {
    says: "is asked to think by a switch",
    sent: "`thinking: {type}`, the effort beside it",
    edits: "call",
    wires: ["chat"],
    edit: withThinkingSwitch,
  },
  reasoning_object: {
    says: "is asked to think by an object",
    sent: "`reasoning: {effort, max_tokens, enabled}`",
    edits: "call",
    wires: ["chat"],
    edit: withReasoningObject,
  },
  answered_tools: {
    says: "takes no message of the user right behind a tool's",
    sent: 'the assistant\'s "OK." in between',
    edits: "call",
    wires: ["chat"],
    edit: withAnsweredTools,
  },
  call_reasoning_blank: {
    says: "wants `reasoning_content` on turns with calls",
    sent: "a blank one, where the thoughts are not known",
    edits: "call",
    wires: ["chat"],
    edit: withCallReasoning(""),
  },
  call_reasoning_text: {
    says: "wants words in `reasoning_content` on turns with calls",
    sent: "a short text, where the thoughts are not known",
    edits: "call",
    wires: ["chat"],
    edit: withCallReasoning("(not recorded)"),
  },
  prefix_last: {
    says: "wants a last message of the assistant marked",
    sent: "`prefix`",
    edits: "call",
    wires: ["chat"],
    edit: withPrefixMark,
  },
  no_call_ids: {
    says: "knows no ids of calls",
    sent: "`functionCall` and `functionResponse` without `id`",
    edits: "call",
    wires: ["gemini"],
    edit: withoutCallIds,
  },
  no_call_signatures: {
    says: "does not read Google's signatures of calls",
    sent: "calls without `extra_content`",
    edits: "call",
    wires: ["chat"],
    edit: withoutCallSignatures,
  },
  published_fields: {
    says: "refuses fields of messages, parts, calls, tools and options that it does not know",
    sent: "those that every host publishes; others are named",
    edits: "call",
    wires: ["chat"],
    edit: withPublishedFields,
  },
  no_names: {
    says: "takes no `name` of who speaks",
    sent: "messages without it",
    edits: "call",
    wires: ["chat"],
    edit: withoutNames,
  },
  think_tags: {
    says: "thinks aloud at the beginning of its text",
    sent: "nothing else; what stands between `<think>` and `</think>` is read as thoughts",
    edits: "nothing",
    wires: ["chat"],
  },
  block_cache_marks: {
    says: "takes `cache_control` on blocks only",
    sent: "the request's own on its last block",
    edits: "call",
    wires: ["messages"],
    edit: withBlockMarks,
  },
  vertex_betas: {
    says: "knows some of Anthropic's betas",
    sent: "those that Vertex AI knows",
    edits: "call",
    wires: ["messages"],
    edit: withKnownBetas(vertexBetas),
  },
  unique_documents: {
    says: "wants a name of its own for every document",
    sent: "`name (2)` for the second of a name",
    edits: "call",
    wires: ["bedrock"],
    edit: withUniqueDocuments,
  },
};
