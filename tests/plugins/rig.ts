/** Requests with plugins on each of the three APIs, and what their answers say, whole and streamed alike. */

import assert from "node:assert/strict";
import { asObject, checkStream, type Json, parseStream } from "../support/event_stream.ts";
import type { Gateway } from "../support/gateway.ts";
import { type Api, apis, eventsOf, send, type Sent, wholeOf } from "../server_tools/rig.ts";

export { type Api, apis };

/** A request of one user message on an API; with `schema`, for an answer in JSON. */
export function requestOn(api: Api, { text, schema, ...rest }: Json & { readonly text: unknown }): Json {
  const fields = schema === undefined ? rest : { ...rest, ...formatOn(api, schema) };
  if (api === "responses") return { input: text, ...fields };
  return { messages: [{ role: "user", content: text }], max_tokens: 4_000, ...fields };
}

function formatOn(api: Api, schema: unknown): Json {
  const format = { type: "json_schema", name: "answer", schema, strict: true };
  if (api === "responses") return { text: { format } };
  if (api === "messages") return { output_config: { format: { type: "json_schema", schema } } };
  const { type, ...json_schema } = format;
  return { response_format: { type, json_schema } };
}

export interface PluginAnswer {
  readonly sent: Sent;
  readonly text: string;
  /** Citations in one form: where the address stands, and what is cited. */
  readonly citations: readonly Json[];
  readonly metadata: Json;
}

export interface AskOptions {
  readonly api: Api;
  readonly stream: boolean;
  readonly body: Json;
  readonly key?: string;
}

/** Asks, with the routing metadata, and reads the answer. */
export async function askWith(
  gateway: Gateway,
  { api, stream, body, key }: AskOptions,
): Promise<PluginAnswer> {
  const headers = { "x-service-metadata": "enabled" };
  const sent = await send(gateway, { api, body: { ...body, stream }, headers, key });
  return { sent, ...(stream ? readers[api].streamed(sent) : readers[api].whole(wholeOf(sent))) };
}

type Read = Omit<PluginAnswer, "sent">;

interface Reader {
  readonly whole: (result: Json) => Read;
  readonly streamed: (sent: Sent) => Read;
}

const listOf = (value: unknown): readonly Json[] => Array.isArray(value) ? value.map(asObject) : [];
const textOf = (value: unknown): string => typeof value === "string" ? value : "";

function responsesRead(result: Json): Read {
  const parts = listOf(result.output).flatMap((item) => listOf(item.content));
  return {
    text: parts.map(({ text }) => textOf(text)).join(""),
    citations: parts.flatMap(({ annotations }) => listOf(annotations)),
    metadata: asObject(result.service_metadata),
  };
}

function messagesRead(result: Json): Read {
  const blocks = listOf(result.content).filter(({ type }) => type === "text");
  return {
    text: blocks.map(({ text }) => textOf(text)).join(""),
    citations: blocks.flatMap(({ citations }) => listOf(citations)),
    metadata: asObject(result.service_metadata),
  };
}

const readers: Readonly<Record<Api, Reader>> = {
  responses: {
    whole: responsesRead,
    streamed: ({ text }) => responsesRead(checkStream(parseStream(text))),
  },
  chat: {
    whole: (result) => {
      const [choice] = listOf(result.choices);
      const message = asObject(choice?.message);
      return {
        text: textOf(message.content),
        citations: listOf(message.annotations),
        metadata: asObject(result.service_metadata),
      };
    },
    streamed: (sent) => {
      const chunks = eventsOf(sent);
      const deltas = chunks.flatMap(({ choices }) => listOf(choices)).map(({ delta }) => asObject(delta));
      return {
        text: deltas.map(({ content }) => textOf(content)).join(""),
        citations: deltas.flatMap(({ annotations }) => listOf(annotations)),
        metadata: asObject(chunks.findLast((chunk) => "service_metadata" in chunk)?.service_metadata),
      };
    },
  },
  messages: {
    whole: messagesRead,
    streamed: (sent) => {
      const events = eventsOf(sent);
      const deltas = events.flatMap(({ type, delta }) =>
        type === "content_block_delta" ? [asObject(delta)] : []
      );
      const metadata = events.flatMap((event) =>
        "service_metadata" in event
          ? [event.service_metadata]
          : "service_metadata" in asObject(event.message ?? {})
          ? [asObject(event.message).service_metadata]
          : []
      ).at(-1);
      return {
        text: deltas.map(({ type, text }) => type === "text_delta" ? textOf(text) : "").join(""),
        citations: deltas.flatMap(({ type, citation }) =>
          type === "citations_delta" ? [asObject(citation)] : []
        ),
        metadata: asObject(metadata),
      };
    },
  },
};

/** Stages of plugins that acted. */
export const stagesOf = ({ metadata: { pipeline } }: Pick<PluginAnswer, "metadata">): readonly Json[] =>
  listOf(pipeline);

export const paramsOf = ({ metadata: { params } }: Pick<PluginAnswer, "metadata">): Json =>
  params === undefined ? {} : asObject(params);

/** The path that a refusal names. */
export function refusedPath(sent: Sent, status = 400): unknown {
  assert.equal(sent.status, status, sent.text);
  const error = asObject(wholeOf(sent, status).error);
  return error.metadata === undefined ? undefined : asObject(error.metadata).path;
}

/** Plugins of a body for `/v1/responses` in the answer of `POST /v1/route/explain`. */
export async function explained(gateway: Gateway, body: Json): Promise<readonly Json[]> {
  const response = await fetch(`${gateway.url}/v1/route/explain`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return listOf(asObject(JSON.parse(text)).plugins);
}
