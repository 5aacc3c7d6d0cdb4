/**
 * The operations that are not rows of the management table: those that call models, what every key may read, and what
 * needs none. app.ts routes them, the API document and llms.txt describe them.
 */

import * as z from "zod";
import type { Operation } from "../../../shared/errors.ts";
import type { ManagementOperation } from "../../../shared/management/operation.ts";
import { keyDetailsSchema, type KeyKind } from "../../../shared/keys.ts";
import { chatRequest } from "../../../shared/chat/request.ts";
import { messagesRequest } from "../../../shared/messages/request.ts";
import { streamEvent } from "../../../shared/responses/events.ts";
import { embeddingsRequest } from "../../../shared/embeddings/request.ts";
import { embeddingsResult } from "../../../shared/embeddings/result.ts";
import { responseRequest } from "../../../shared/responses/request.ts";
import { responseResult } from "../../../shared/responses/result.ts";
import { chatChunk, chatResult } from "../../../shared/results/chat_result.ts";
import { messageEvent, messageResult, tokenCount } from "../../../shared/results/message_result.ts";
import {
  endpointResult,
  modelEndpoints,
  modelList,
  modelResult,
  providerResult,
} from "../../../shared/results/model_lists.ts";
import { routeExplanation } from "../../../shared/results/route_explanation.ts";
import { speechRequest } from "../../../shared/speech.ts";
import { modelQuerySchema } from "../models/model_query.ts";

export interface CallOperation extends Pick<ManagementOperation, "method" | "path" | "who" | "summary"> {
  /** Decides which statuses an error may have. */
  readonly errors: Operation;
  /** The path as the router has it, where `*` stands for what the document spells out. */
  readonly route?: string;
  /** Below no prefix. */
  readonly isAtRoot?: true;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly output: z.ZodType | "bytes";
  /** One event of the answer to a body with `stream: true`. */
  readonly events?: z.ZodType;
  /** Media types of the output; JSON where it is absent. */
  readonly mediaTypes?: readonly string[];
  /** Form of its errors, where it is not the gateway's own. */
  readonly errorForm?: "AnthropicError" | "McpError";
  /** Statuses of good answers besides 200, and what they mean. */
  readonly others?: Readonly<Record<number, string>>;
  /** Takes an `Idempotency-Key`, as a row of the management table. */
  readonly idempotent?: true;
  /** Takes and gives the headers of the response cache. */
  readonly cached?: true;
}

const keys: readonly KeyKind[] = ["api"];
const readers: readonly KeyKind[] = ["api", "management"];
const everyone: readonly KeyKind[] = [];

const calls = {
  "responses.create": {
    method: "POST",
    path: "/responses",
    who: keys,
    errors: "create_response",
    summary: "Calls a model by OpenAI's Responses API, streamed or not.",
    body: responseRequest,
    output: responseResult,
    events: streamEvent,
    idempotent: true,
    cached: true,
  },
  "chat.completions.create": {
    method: "POST",
    path: "/chat/completions",
    who: keys,
    errors: "create_chat_completion",
    summary: "Calls a model by OpenAI's Chat Completions API, streamed or not.",
    body: chatRequest,
    output: chatResult,
    events: chatChunk,
    cached: true,
  },
  "messages.create": {
    method: "POST",
    path: "/messages",
    who: keys,
    errors: "create_message",
    summary: "Calls a model by Anthropic's Messages API, streamed or not.",
    body: messagesRequest,
    output: messageResult,
    events: messageEvent,
    errorForm: "AnthropicError",
    cached: true,
  },
  "messages.count_tokens": {
    method: "POST",
    path: "/messages/count_tokens",
    who: keys,
    errors: "count_tokens",
    summary: "Counts the input tokens of a request to the Messages API; calls no model and costs nothing.",
    body: messagesRequest.extend({ max_tokens: messagesRequest.shape.max_tokens.optional() }),
    output: tokenCount,
    errorForm: "AnthropicError",
  },
  "audio.speech.create": {
    method: "POST",
    path: "/audio/speech",
    who: keys,
    errors: "create_speech",
    summary: "Speaks a text.",
    body: speechRequest,
    output: "bytes",
    mediaTypes: ["audio/mpeg", "audio/pcm"],
    events: z.looseObject({ type: z.enum(["speech.audio.delta", "speech.audio.done", "error"]) }),
  },
  "embeddings.create": {
    method: "POST",
    path: "/embeddings",
    who: keys,
    errors: "create_embeddings",
    summary: "Makes embeddings of texts.",
    body: embeddingsRequest,
    output: embeddingsResult,
    cached: true,
  },
  "route.explain": {
    method: "POST",
    path: "/route/explain",
    who: readers,
    errors: "other",
    summary:
      "Says where a request to the Responses API would go and what would be held back; calls no model.",
    query: z.object({
      /** For management keys: the key whose request it would be. */
      api_key_hash: z.string().optional(),
      /** For management keys, instead: any key of this workspace. */
      workspace_id: z.string().optional(),
    }),
    body: responseRequest,
    output: routeExplanation,
  },
} as const satisfies Record<string, CallOperation>;

const data = (schema: z.ZodType) => z.object({ data: schema });

const lists = {
  "models.list": {
    method: "GET",
    path: "/models",
    who: readers,
    errors: "models",
    summary:
      "Lists the models; with workspace_id (management keys), as the keys of a workspace may use them.",
    query: modelQuerySchema,
    output: modelList,
  },
  "models.count": {
    method: "GET",
    path: "/models/count",
    who: readers,
    errors: "models",
    summary: "Counts the models that a query finds.",
    query: modelQuerySchema,
    output: data(z.object({ count: z.int() })),
  },
  "models.user": {
    method: "GET",
    path: "/models/user",
    who: readers,
    errors: "models",
    summary: "Lists the models that the caller's guardrails leave.",
    query: modelQuerySchema,
    output: modelList,
  },
  "models.get": {
    method: "GET",
    path: "/models/:author/:slug",
    route: "/models/*",
    who: readers,
    errors: "models",
    summary: "Shows one model, as clients of OpenAI and Anthropic ask for it.",
    output: modelResult,
  },
  "models.endpoints": {
    method: "GET",
    path: "/models/:author/:slug/endpoints",
    route: "/models/*",
    who: readers,
    errors: "models",
    summary: "Shows the endpoints that serve a model.",
    output: data(modelEndpoints),
  },
  "model.get": {
    method: "GET",
    path: "/model/:author/:slug",
    route: "/model/*",
    who: readers,
    errors: "other",
    summary: "Shows one model.",
    output: data(modelResult),
  },
  "providers.list": {
    method: "GET",
    path: "/providers",
    who: readers,
    errors: "other",
    summary: "Lists the providers.",
    output: data(z.array(providerResult)),
  },
  "endpoints.zdr": {
    method: "GET",
    path: "/endpoints/zdr",
    who: readers,
    errors: "other",
    summary: "Lists the endpoints whose providers keep nothing.",
    output: data(z.array(endpointResult)),
  },
  "key.get": {
    method: "GET",
    path: "/key",
    who: readers,
    errors: "other",
    summary: "Shows what a key may know of itself: limits, and what it has spent.",
    output: data(keyDetailsSchema),
  },
} as const satisfies Record<string, CallOperation>;

/** A message of JSON-RPC, or what answers it. */
const rpc = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  params: z.looseObject({}).optional(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
});
const health = z.looseObject({ status: z.string(), reasons: z.array(z.string()).optional() });
const open = { method: "GET", who: everyone, errors: "other", isAtRoot: true } as const;

const others = {
  mcp: {
    method: "POST",
    path: "/mcp",
    isAtRoot: true,
    who: readers,
    errors: "mcp",
    summary: "The gateway as an MCP server: one message of JSON-RPC.",
    body: rpc,
    output: rpc,
    events: rpc,
    errorForm: "McpError",
    others: { 202: "A notification was taken." },
  },
  "health.live": { ...open, path: "/healthz", summary: "Says that the process runs.", output: health },
  "health.ready": { ...open, path: "/readyz", summary: "Says whether requests are served.", output: health },
  "metrics.get": {
    ...open,
    path: "/metrics",
    who: ["management"],
    summary:
      "The gateway's metrics, for Prometheus; the token that the settings give a scraper reads them too.",
    output: "bytes",
    mediaTypes: ["text/plain", "application/openmetrics-text"],
  },
  "document.get": {
    ...open,
    path: "/openapi.json",
    summary: "This document.",
    output: z.looseObject({ openapi: z.string() }),
    others: { 304: "The document is the one that If-None-Match names." },
  },
  "document.llms": {
    ...open,
    path: "/llms.txt",
    summary: "The API in short, for language models.",
    output: "bytes",
    mediaTypes: ["text/plain"],
    others: { 304: "The text is the one that If-None-Match names." },
  },
} as const satisfies Record<string, CallOperation>;

export const callOperations = { ...calls, ...lists, ...others } as const;

export type CallOperationId = keyof typeof callOperations;
