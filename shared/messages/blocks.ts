/**
 * Content blocks of POST /messages (specification, Chat completions, embeddings, messages, misc inference), in
 * requests.
 */

import * as z from "zod";
import { type CacheControl, cacheControlSchema } from "../fields/cache_control.ts";
import { jsonObject, nonEmptyString } from "../fields/primitives.ts";

const cache_control = cacheControlSchema.nullish();
const text = z.string().nullish();

const base64Source = z.looseObject({ type: z.literal("base64"), media_type: z.string(), data: z.string() });
const urlSource = z.looseObject({ type: z.literal("url"), url: nonEmptyString });
const fileSource = z.looseObject({ type: z.literal("file"), file_id: nonEmptyString });

export const textBlockSchema = z.looseObject({ type: z.literal("text"), text: z.string(), cache_control });

const imageBlock = z.looseObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [base64Source, urlSource, fileSource]),
  cache_control,
});

const innerBlock = z.discriminatedUnion("type", [textBlockSchema, imageBlock]);

const documentBlock = z.looseObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    base64Source,
    urlSource,
    fileSource,
    z.looseObject({ type: z.literal("text"), data: z.string() }),
    z.looseObject({ type: z.literal("content"), content: z.union([z.string(), z.array(innerBlock)]) }),
  ]),
  title: text,
  context: text,
  citations: jsonObject.nullish(),
  cache_control,
});
export type DocumentBlock = z.infer<typeof documentBlock>;

const searchResultBlock = z.looseObject({
  type: z.literal("search_result"),
  source: z.string(),
  title: z.string(),
  content: z.array(textBlockSchema),
  cache_control,
});

/** A block that Anthropic has thought of after us: it is Anthropic's to judge. */
export interface LaterBlock {
  readonly type: string;
  readonly cache_control?: CacheControl | null;
  readonly [key: string]: unknown;
}

const laterType = /^[a-z][a-z0-9_]{0,63}$/;

/** A block of a type that is known has to be as its schema says, and to stand where it may. */
const laterBlock = z.looseObject({ type: z.string().regex(laterType), cache_control }).check(
  ({ value, issues }) => {
    if (knownTypes.has(value.type)) issues.push({ code: "invalid_value", values: [], input: value });
  },
);

/** Blocks that a message or a tool's result may show. */
const shown = [textBlockSchema, imageBlock, documentBlock, searchResultBlock] as const;

const shownBlock = z.discriminatedUnion("type", shown);
export type ShownBlock = z.infer<typeof shownBlock>;

const referenceBlock = z.looseObject({
  type: z.literal("tool_reference"),
  tool_name: z.string(),
  cache_control,
});
export type ReferenceBlock = z.infer<typeof referenceBlock>;

const resultPart = z.discriminatedUnion("type", [...shown, referenceBlock]);
const thinkingBlock = z.looseObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: text,
});
const redactedBlock = z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() });
const toolUseBlock = z.looseObject({
  type: z.literal("tool_use"),
  id: nonEmptyString,
  name: nonEmptyString,
  input: jsonObject.nullish(),
  cache_control,
});
export type ToolUseBlock = z.infer<typeof toolUseBlock>;

const toolResultBlock = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: nonEmptyString,
  content: z.union([z.string(), z.array(z.union([resultPart, laterBlock]))]).nullish(),
  is_error: z.boolean().nullish(),
  cache_control,
});
export type ToolResultBlock = z.infer<typeof toolResultBlock>;

/** Blocks of tools that Anthropic runs, which go back to Anthropic as they are, and one of OpenRouter's containers. */
const ownBlock = z.looseObject({
  type: z.literal([
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "advisor_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "mcp_tool_listing",
    "mcp_tool_use",
    "mcp_tool_result",
    "container_upload",
    "compaction",
    "openrouter_bash_tool_result",
  ]),
  id: text,
  name: text,
  // Results and compactions have none.
  input: z.unknown().optional(),
});
export type OwnBlock = z.infer<typeof ownBlock>;

const knownBlock = z.discriminatedUnion("type", [
  ...shown,
  thinkingBlock,
  redactedBlock,
  toolUseBlock,
  toolResultBlock,
  ownBlock,
]);
export type KnownBlock = z.infer<typeof knownBlock>;

const knownTypes: ReadonlySet<unknown> = new Set(
  [knownBlock, resultPart].flatMap(({ options }) =>
    options.flatMap(({ _zod: { propValues } }) => [...propValues?.type ?? []])
  ),
);

/** Whether a block is of a type that has a schema. */
export const isKnownBlock = <Known extends { readonly type: string }>(
  block: Known | LaterBlock,
): block is Known => knownTypes.has(block.type);

export const blockSchema = z.union([knownBlock, laterBlock]);
export type MessagesBlockInput = KnownBlock | LaterBlock;
