/** Answers of an operation: the good ones by its schemas, errors by the statuses that the table of errors has for it. */

import { operationStatuses } from "../../../shared/errors.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { ApiOperation } from "./api_operations.ts";
import type { SchemaComponents } from "./schema_components.ts";

const text = { type: "string" };
const wholeNumber = { type: "integer", minimum: 0 };
const requestId = { description: "Names the request in logs.", schema: text };
const retryAfter = { description: "Seconds to wait.", schema: { type: "integer", minimum: 1 } };

/** Headers of answers, by name of the component. */
export const replyHeaders = {
  RequestId: requestId,
  RetryAfter: retryAfter,
  ETag: { description: "Version of what is shown.", schema: text },
  ResponseCacheStatus: {
    description: "Whether the response came from the cache; absent where it was not looked for.",
    schema: { type: "string", enum: ["HIT", "MISS"] },
  },
  ResponseCacheTtl: { description: "Seconds that the response is kept from now on.", schema: wholeNumber },
  ResponseCacheAge: { description: "Seconds since the response was made; of a hit.", schema: wholeNumber },
  ResponseCacheSourceId: { description: "Generation that it was made for; of a hit.", schema: text },
} as const satisfies Record<string, JsonObject>;

const named = (name: keyof typeof replyHeaders): JsonObject => ({ $ref: `#/components/headers/${name}` });
const everyReply = { "X-Request-Id": named("RequestId") };
const cachedReply = {
  "X-OpenRouter-Cache-Status": named("ResponseCacheStatus"),
  "X-OpenRouter-Cache-TTL": named("ResponseCacheTtl"),
  "X-OpenRouter-Cache-Age": named("ResponseCacheAge"),
  "X-OpenRouter-Cache-Source-Id": named("ResponseCacheSourceId"),
};

const gatewayError: JsonObject = {
  type: "object",
  required: ["error", "user_id"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "metadata"],
      properties: {
        code: { type: "integer", description: "The status." },
        message: text,
        metadata: {
          type: "object",
          required: ["error_type"],
          properties: {
            error_type: { ...text, description: "What kind of error it is, the same at every API." },
            path: { ...text, description: "The field of the request that is at fault." },
          },
        },
        availability: { type: "object", description: "Why no endpoint may serve the request." },
      },
    },
    user_id: { type: "null" },
  },
};

const anthropicError: JsonObject = {
  type: "object",
  required: ["type", "error", "request_id"],
  properties: {
    type: { const: "error" },
    error: {
      type: "object",
      required: ["type", "message", "error_type"],
      properties: {
        type: text,
        message: text,
        error_type: { ...text, description: "What kind of error it is, the same at every API." },
        details: { type: "object" },
        availability: { type: "object" },
      },
    },
    request_id: text,
  },
};

/** An error of JSON-RPC, or one of the gateway's from before the message was read. */
const mcpError: JsonObject = {
  anyOf: [{ $ref: "#/components/schemas/Error" }, {
    type: "object",
    required: ["jsonrpc", "error"],
    properties: {
      jsonrpc: { const: "2.0" },
      error: {
        type: "object",
        required: ["code", "message"],
        properties: { code: { type: "integer" }, message: text },
      },
      id: { type: ["string", "number", "null"] },
    },
  }],
};

/** The forms of errors, by name of the component. */
export const errorSchemas = {
  Error: gatewayError,
  AnthropicError: anthropicError,
  McpError: mcpError,
} as const;

const meanings: ReadonlyMap<number, string> = new Map([
  [400, "The request is malformed, or asks for what is not allowed."],
  [401, "No valid key was given."],
  [402, "A limit, a budget or the credits do not suffice."],
  [403, "The key may not do this, or a guardrail forbids it."],
  [404, "What was named does not exist."],
  [408, "The client took too long, or left."],
  [412, "The content is another one than If-Match names."],
  [413, "The body is too large."],
  [415, "The body has another media type than is needed."],
  [422, "The request is well formed and cannot be done."],
  [429, "Too many requests, tokens or streams."],
  [500, "The gateway failed; the request id names the failure in its log."],
  [502, "The provider failed."],
  [503, "Nothing can serve this now; try again later."],
  [524, "The provider did not answer in time."],
  [529, "The provider is overloaded."],
]);

type ErrorName = keyof typeof errorSchemas;
const waits: ReadonlySet<number> = new Set([429, 503, 529]);

function errorReply(status: number, form: ErrorName): JsonObject {
  return {
    description: meanings.get(status) ?? "The request failed.",
    headers: { ...everyReply, ...(waits.has(status) ? { "Retry-After": named("RetryAfter") } : {}) },
    content: { "application/json": { schema: { $ref: `#/components/schemas/${form}` } } },
  };
}

/** Statuses of operations that need no key: they look at nothing else that could be wrong. */
const openFailures = [400, 500];

/** Statuses of errors that an operation may end in. */
const failuresOf = ({ who, errors }: ApiOperation): readonly number[] =>
  who.length === 0 ? openFailures : operationStatuses[errors];

const formOf = ({ errorForm }: ApiOperation): ErrorName => errorForm ?? "Error";

/** The errors of these operations, in their forms, as components. */
export const errorReplies = (operations: readonly ApiOperation[]): JsonObject =>
  Object.fromEntries(operations.flatMap((operation) => {
    const form = formOf(operation);
    return failuresOf(operation).map((status) => [`${form}${status}`, errorReply(status, form)]);
  }));

export function repliesOf(operation: ApiOperation, schemas: SchemaComponents): JsonObject {
  const { isDownload, others = {} } = operation;
  return {
    [operation.status ?? 200]: goodReply(operation, schemas),
    ...Object.fromEntries(Object.entries(others).map(([status, description]) => [status, { description }])),
    ...(isDownload ? partialReplies : {}),
    ...Object.fromEntries(
      failuresOf(operation).map((status) => [
        status,
        { $ref: `#/components/responses/${formOf(operation)}${status}` },
      ]),
    ),
  };
}

function goodReply(operation: ApiOperation, schemas: SchemaComponents): JsonObject {
  const { versioned, isDownload, others, cached } = operation;
  const tagged = versioned || isDownload || others?.[304] !== undefined;
  return {
    description: "Done.",
    headers: {
      ...everyReply,
      ...(tagged ? { ETag: named("ETag") } : {}),
      ...(cached ? cachedReply : {}),
    },
    content: contentOf(operation, schemas),
  };
}

const bytes: JsonObject = { type: "string", format: "binary" };

/** A server-sent event, as those who read streams by a document take them apart. */
const oneEvent: JsonObject = {
  type: "object",
  required: ["data"],
  properties: { event: text, data: { ...text, contentMediaType: "application/json" } },
};

function contentOf(
  { output, mediaTypes, events, instead }: ApiOperation,
  schemas: SchemaComponents,
): JsonObject {
  const schema = output === "bytes" ? bytes : schemas.add(output, "output");
  const other = instead === undefined || instead.output === "bytes"
    ? undefined
    : schemas.add(instead.output, "output");
  const types = mediaTypes ?? ["application/json"];
  if (types.includes("text/event-stream")) return { "text/event-stream": { schema: oneEvent } };
  return {
    ...Object.fromEntries(
      types.map((type) => [type, { schema: other === undefined ? schema : { anyOf: [schema, other] } }]),
    ),
    ...(events === undefined ? {} : {
      // OpenAPI 3.1 has no words for the schema of what an event's data hold.
      "text/event-stream": { schema: oneEvent, "x-event-schema": schemas.add(events, "output") },
    }),
  };
}

/** Answers to a client that asks for a part of a file, or that has it. */
const partialReplies: JsonObject = {
  206: {
    description: "The part that Range names.",
    content: { "application/octet-stream": { schema: bytes } },
  },
  304: { description: "The content is the one that If-None-Match names." },
  416: {
    description: "The range begins behind the end.",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  },
};
