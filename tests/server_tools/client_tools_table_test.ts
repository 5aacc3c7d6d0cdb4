/**
 * The official clients, unmodified, with each tool that reaches servers, files and other models, on each API that a
 * client speaks, whole and streamed, and with the answer brought back.
 */

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { OpenRouter } from "@openrouter/sdk";
import type { Json } from "../mocks/published.ts";
import { type McpMock, mcpTool, withMcp } from "../mcp/rig.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { quickReaderRig } from "../support/quick_reader.ts";
import { addFile, searchTool } from "./file_search_rig.ts";
import { nestedTool, planBoth } from "./nested_rig.ts";
import { type Api, calls, says, type ToolRig } from "./rig.ts";

interface Place extends ToolRig {
  readonly server: McpMock;
}

/** One of the tools, as requests of the Responses API and of Chat Completions name it. */
interface Kind {
  readonly tool: (place: Place) => Json;
  /** Fields of a request of the Messages API, where they are others. */
  readonly messages?: (place: Place) => Json;
  /** Name and arguments of the call. */
  readonly call: readonly [name: string, args: Json];
  /** Types of the items and blocks that show the call. */
  readonly items: readonly string[];
  readonly blocks?: readonly string[];
  /** Stands in what the model is told. */
  readonly told: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  mcp: {
    tool: ({ server }) => mcpTool(server),
    messages: ({ server: { url } }) => ({
      mcp_servers: [{ type: "url", name: "docs", url }],
      tools: [{ type: "mcp_toolset", mcp_server_name: "docs" }],
    }),
    call: ["echo", { text: "hello" }],
    items: ["mcp_list_tools", "mcp_call"],
    blocks: ["mcp_tool_use", "mcp_tool_result"],
    told: "echo: hello",
  },
  file_search: {
    tool: () => searchTool(),
    messages: () => ({ tools: [{ ...searchTool(), type: "service:file_search" }] }),
    call: ["file_search", { queries: ["mill"] }],
    items: ["file_search_call"],
    told: "The mill is closed on Mondays.",
  },
  files: {
    tool: () => ({ type: "openrouter:files" }),
    call: ["files", { operation: "list" }],
    items: ["openrouter:files"],
    told: "mill.md",
  },
  advisor: {
    tool: () => nestedTool("advisor", { model: "mock/messages", stream: true }),
    call: ["advisor", { prompt: "Left?" }],
    items: ["openrouter:advisor"],
    blocks: ["server_tool_use", "advisor_tool_result"],
    told: "Wait.",
  },
  subagent: {
    tool: () => nestedTool("subagent", { model: "mock/gemini" }),
    call: ["subagent", { task_name: "T", task_description: "Look." }],
    items: ["openrouter:subagent"],
    told: "Wait.",
  },
};

/** An answer as a client has read it: kinds of its parts, its text, and the parts as they are brought back. */
interface Read {
  readonly kinds: readonly string[];
  readonly text: string;
  readonly back: readonly Json[];
}

interface ClientInput {
  readonly rig: ToolRig;
  readonly body: Json;
  readonly stream: boolean;
}

interface ClientRow {
  readonly name: string;
  readonly api: Api;
  readonly ask: (input: ClientInput) => Promise<Read>;
  /** Tools that the library cannot send on this API. */
  readonly lacks?: readonly string[];
}

/** The libraries' types know their own tools only. */
const asRequest = <T>(body: Json) => body as unknown as T;
const asParts = (value: unknown): readonly Json[] =>
  asList(asObject(JSON.parse(JSON.stringify({ value }))).value).map(asObject);

/** Keys as `@openrouter/sdk` has them in a program. */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [name, camelCased(inner)];
  });
  return Object.fromEntries(entries);
}

const typesOf = (parts: readonly Json[]) => parts.map(({ type }) => String(type));

async function openaiResponses({ rig: { gateway }, body, stream }: ClientInput): Promise<Read> {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey });
  const request = asRequest<OpenAI.Responses.ResponseCreateParamsNonStreaming>(body);
  const response = stream
    ? await client.responses.stream({ ...request, stream: true }).finalResponse()
    : await client.responses.create(request);
  const back = asParts(response.output);
  return { kinds: typesOf(back), text: response.output_text, back };
}

async function openaiChat({ rig: { gateway }, body, stream }: ClientInput): Promise<Read> {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.apiKey });
  const request = asRequest<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming>(body);
  const { choices: [choice] } = stream
    ? await client.chat.completions.stream({ ...request, stream: true }).finalChatCompletion()
    : await client.chat.completions.create(request);
  assert.equal(choice?.finish_reason, "stop");
  assert.equal(choice.message.tool_calls?.length ?? 0, 0, "no call is left for the client");
  return { kinds: [], text: choice.message.content ?? "", back: asParts([choice.message]) };
}

async function anthropic({ rig: { gateway }, body, stream }: ClientInput): Promise<Read> {
  const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.apiKey });
  const request = asRequest<Anthropic.MessageCreateParamsNonStreaming>(body);
  const message = stream
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create(request);
  assert.equal(message.stop_reason, "end_turn");
  return readMessage(asParts(message.content));
}

/** The part of the library that has MCP servers. */
async function anthropicBeta({ rig: { gateway }, body, stream }: ClientInput): Promise<Read> {
  const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.apiKey });
  const request = asRequest<Anthropic.Beta.MessageCreateParamsNonStreaming>({
    ...body,
    betas: ["mcp-client-2025-11-20"],
  });
  const message = stream
    ? await client.beta.messages.stream(request).finalMessage()
    : await client.beta.messages.create(request);
  assert.equal(message.stop_reason, "end_turn");
  return readMessage(asParts(message.content));
}

function readMessage(back: readonly Json[]): Read {
  const text = back.flatMap((block) => block.type === "text" ? [String(block.text)] : []).join("");
  return { kinds: typesOf(back), text, back: [{ role: "assistant", content: back }] };
}

/** The library keeps an item that it has no type for as it came. */
async function openrouterResponses({ rig: { gateway }, body, stream }: ClientInput): Promise<Read> {
  const client = new OpenRouter({ serverURL: `${gateway.url}/v1`, apiKey: gateway.apiKey });
  const responsesRequest = asRequest<Parameters<typeof client.beta.responses.send>[0]["responsesRequest"]>(
    asObject(camelCased({ ...body, stream })),
  );
  const sent = await client.beta.responses.send({ responsesRequest });
  let last: unknown = sent;
  if (Symbol.asyncIterator in sent) {
    for await (const event of sent) last = event;
    last = asObject(JSON.parse(JSON.stringify(last))).response;
  }
  const back = asParts(asObject(last).output);
  const text = back.filter(({ type }) => type === "message").flatMap(({ content }) =>
    asList(content).map(asObject)
  );
  const kinds = typesOf(back.map((item) => item.isUnknown === true ? asObject(item.raw) : item));
  return { kinds, text: text.map((part) => String(part.text)).join(""), back: [] };
}

async function openrouterChat({ rig: { gateway }, body, stream }: ClientInput): Promise<Read> {
  const client = new OpenRouter({ serverURL: `${gateway.url}/v1`, apiKey: gateway.apiKey });
  const chatRequest = asRequest<Parameters<typeof client.chat.send>[0]["chatRequest"]>(
    asObject(camelCased({ ...body, stream })),
  );
  const sent = await client.chat.send({ chatRequest });
  if (!(Symbol.asyncIterator in sent)) {
    return { kinds: [], text: String(sent.choices[0]?.message.content), back: [] };
  }
  let text = "";
  for await (const chunk of sent) text += chunk.choices[0]?.delta.content ?? "";
  return { kinds: [], text, back: [] };
}

const rows: readonly ClientRow[] = [
  { name: "openai", api: "responses", ask: openaiResponses },
  { name: "openai", api: "chat", ask: openaiChat },
  { name: "@anthropic-ai/sdk", api: "messages", ask: anthropic },
  { name: "@anthropic-ai/sdk's beta", api: "messages", ask: anthropicBeta },
  { name: "@openrouter/sdk", api: "responses", ask: openrouterResponses },
  { name: "@openrouter/sdk", api: "chat", ask: openrouterChat, lacks: ["mcp", "file_search"] },
];

const question = { role: "user", content: "Do it." };

/** The fields of a request for the tool. */
const fieldsFor = (api: Api, { kind, place }: { readonly kind: Kind; readonly place: Place }): Json =>
  api === "messages" && kind.messages !== undefined ? kind.messages(place) : { tools: [kind.tool(place)] };

const withInput = (api: Api, turns: readonly Json[]): Json =>
  api === "responses" ? { input: turns } : { messages: turns, max_tokens: 500 };

for (const { name, api, ask, lacks } of rows) {
  for (const [kindName, kind] of Object.entries(kinds)) {
    if (lacks?.includes(kindName)) continue;
    Deno.test(`${name} reads ${kindName} on the API ${api}, whole and streamed`, async () => {
      await using reader = quickReaderRig();
      await withMcp({ keeper: reader.keeper }, async (rig) => {
        await addFile(rig.gateway, { name: "mill.md", text: "# Mill\n\nThe mill is closed on Mondays.\n" });
        const [called, args] = kind.call;
        const base = { model: "mock/chat", ...fieldsFor(api, { kind, place: rig }) };
        for (const stream of [false, true]) {
          planBoth(rig, { outer: (turn) => turn === 0 ? [calls(called, { args })] : [says("I went left.")] });
          const read = await ask({ rig, body: { ...base, ...withInput(api, [question]) }, stream });
          assert.equal(read.text, "I went left.");
          if (api !== "chat") {
            const expected = api === "responses"
              ? [...kind.items, "message"]
              : [...kind.blocks ?? [], "text"];
            assert.deepEqual(read.kinds, expected);
          }
          assert(JSON.stringify(rig.taken("chat")).includes(kind.told), "the model is told the result");
          if (read.back.length === 0) continue;
          planBoth(rig, { outer: () => [says("And on.")] });
          const turns = [question, ...read.back, question];
          const again = await ask({ rig, body: { ...base, ...withInput(api, turns) }, stream });
          assert.equal(again.text, "And on.");
        }
      });
    });
  }
}
