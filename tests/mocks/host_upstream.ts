/** A mock of a service or server that speaks its own Chat Completions; see host_dialects.ts. */

import { chatComplaint } from "./chat_rules.ts";
import { requestedOf } from "./chat_upstream.ts";
import { type ChatEcho, chunksOf, completionOf, frameOf } from "./chat_wire.ts";
import { everywhere, type HostDialect } from "./host_dialects.ts";
import { isObject, type Json, objects, type SchemaViolation } from "./published.ts";
import { scripted } from "./script.ts";
import { type Mock, type MockOptions, startMock } from "./serve.ts";

/** Starts it on a free port. It thinks whenever it is asked to, and calls a tool whose name the user says. */
export function startHostMock(host: HostDialect, options: MockOptions = {}): Mock {
  return startMock({
    path: "/chat/completions",
    complaint: (body) => hostComplaint(body, host),
    plan: (body) => {
      const requested = requestedOf(body);
      const thinking = isObject(body.thinking) && body.thinking.type === "enabled";
      const reasons = requested.reasons || thinking || isObject(body.reasoning);
      return scripted({
        ...requested,
        reasons,
        schema: requested.schema ?? reportedSchema(objects(body.messages)),
      });
    },
    whole: (plan, body) => {
      const answer = completionOf(plan, echoOf(body));
      return withCounts(
        { ...answer, choices: objects(answer.choices).map((choice) => whole(choice, host)) },
        host,
      );
    },
    frames: (plan, body) => {
      const requested = isObject(body.stream_options) && body.stream_options.include_usage === true;
      const echo = { ...echoOf(body), includeUsage: requested || host.counts !== "asked" };
      return [...framesOf(chunksOf(plan, echo), host), "data: [DONE]\n\n"];
    },
    errorFrame: frameOf({ error: { message: "The server had an error.", type: "server_error" } }),
  }, options);
}

/** The schema that a host without `json_schema` is reported in words. */
function reportedSchema([first]: readonly Json[]): Json | undefined {
  const [, schema] = /JSON schema:\n(\{.*)/.exec(String(first?.content)) ?? [];
  const value: unknown = schema === undefined ? undefined : JSON.parse(schema);
  return isObject(value) ? value : undefined;
}

const echoOf = (body: Json): ChatEcho => ({
  id: "chatcmpl-host",
  model: String(body.model),
  stamp: 1_764_000_000,
  includeUsage: true,
});

function hostComplaint(body: Json, host: HostDialect): SchemaViolation | undefined {
  const known = new Set([...everywhere, ...host.takes, host.cap]);
  const unknown = Object.keys(body).find((key) => !known.has(key));
  if (unknown !== undefined) return fault(`Extra inputs are not permitted: ${unknown}`);
  if (host.jsonModeOnly && isObject(body.response_format) && body.response_format.type === "json_schema") {
    return fault("This response_format type is unavailable now");
  }
  if (host.tools === "auto" && (body.tool_choice ?? "auto") !== "auto") {
    return fault("tool_choice: auto only");
  }
  return chatComplaint(standard(body)) ?? turnFault(objects(body.messages), host);
}

const fault = (message: string): SchemaViolation => ({
  message,
  type: "invalid_request_error",
  param: null,
  code: null,
});

/** Without what is the host's own, a request must be one that OpenAI would take. */
function standard(body: Json): Json {
  const own = ["thinking", "reasoning", "random_seed", "top_k", "min_p", "repetition_penalty"];
  const messages = objects(body.messages).map((message) => without(message, replays));
  return { ...without(body, own), messages };
}

const replays = ["reasoning_content", "reasoning", "reasoning_details"];
const without = (value: Json, keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

function turnFault(messages: readonly Json[], host: HostDialect): SchemaViolation | undefined {
  for (const message of messages) {
    if (message.role === "developer") return fault("Unknown role: developer");
    const strange = replays.find((key) => key in message && key !== host.replays);
    if (strange !== undefined) return fault(`Extra inputs are not permitted: ${strange}`);
    const calls = objects(message.tool_calls);
    if (host.replays !== undefined && calls.length > 0 && !(host.replays in message)) {
      return fault(`Missing ${host.replays} in an assistant message with tool calls`);
    }
    const ids = [...calls.map(({ id }) => id), ...(message.role === "tool" ? [message.tool_call_id] : [])];
    const odd = ids.find((id) => host.callId?.test(String(id)) === false);
    if (odd !== undefined) {
      return fault(`Tool call id was ${odd} but must be a-z, A-Z, 0-9, with a length of 9.`);
    }
  }
  return undefined;
}

/** A choice of a whole answer with its thoughts where the host has them. */
function whole(choice: Json, host: HostDialect): Json {
  const message = isObject(choice.message) ? choice.message : {};
  const { reasoning_content: thoughts, ...rest } = message;
  if (typeof thoughts !== "string") return choice;
  return { ...choice, message: { ...rest, ...placed(thoughts, { host, content: rest.content }) } };
}

interface Placing {
  readonly host: HostDialect;
  readonly content: unknown;
}

function placed(thoughts: string, { host, content }: Placing): Json {
  const text = typeof content === "string" ? content : "";
  switch (host.thoughts) {
    case "tags":
      return { content: `<think>\n${thoughts}\n</think>\n\n${text}` };
    case "parts": {
      const received = text === "" ? [] : [{ type: "text", text }];
      return { content: [{ type: "thinking", thinking: [{ type: "text", text: thoughts }] }, ...received] };
    }
    case "reasoning_details":
      return { reasoning_details: [{ type: "reasoning.text", text: thoughts, format: "unknown", index: 0 }] };
    default:
      return { [host.thoughts]: thoughts };
  }
}

/** Chunks as the host sends them. Tags come in chunks, as tokens do. */
function framesOf(chunks: readonly Json[], host: HostDialect): readonly string[] {
  let thinking = false;
  const out: Json[] = [];
  for (const chunk of chunks) {
    const [choice] = objects(chunk.choices);
    const delta = isObject(choice?.delta) ? choice.delta : {};
    const thoughts = delta.reasoning_content;
    const say = (content: string) => out.push({ ...chunk, choices: [{ ...choice, delta: { content } }] });
    if (host.thoughts !== "tags") {
      const moved = typeof thoughts === "string" ? placed(thoughts, { host, content: "" }) : delta;
      out.push(choice === undefined ? chunk : { ...chunk, choices: [{ ...choice, delta: moved }] });
      continue;
    }
    if (typeof thoughts === "string") {
      if (!thinking) ["<th", "ink>", "\n"].forEach(say);
      say(thoughts);
    } else {
      if (thinking) ["\n</", "think", ">\n\n"].forEach(say);
      out.push(chunk);
    }
    thinking = typeof thoughts === "string";
  }
  return out.map((chunk) => frameOf(withCounts(chunk, host)));
}

/** The counts where the host puts them, and how it counts. */
function withCounts(body: Json, host: HostDialect): Json {
  const { usage, ...rest } = body;
  const found = host.searches ? { search_results: [{ title: "A page", url: "https://page.example/" }] } : {};
  if (!isObject(usage)) return { ...rest, ...found };
  const counts = host.countsBeside ? beside(usage) : usage;
  if (host.counts === "x_groq") return { ...rest, x_groq: { id: "req_1", usage: counts } };
  if (host.counts !== "choice") return { ...rest, ...found, usage: counts };
  const [choice = { index: 0, delta: {} }] = objects(rest.choices);
  return { ...rest, choices: [{ ...choice, usage: counts }] };
}

function beside(usage: Json): Json {
  const details = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  return { ...usage, completion_tokens: Number(usage.completion_tokens) - Number(details.reasoning_tokens) };
}
