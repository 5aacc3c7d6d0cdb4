/**
 * Searches, pages and runs of code of the gateway's own tools, as Anthropic's tools show theirs: a client of the
 * Messages API knows these blocks, and brings them back with its next request.
 */

import { isRecord, omitUndefined } from "../../../../shared/util/json.ts";
import { parseCallArguments } from "../../canonical/call_arguments.ts";
import type { OwnBlock } from "../../../../shared/messages/blocks.ts";
import type { JsonObject, PassthroughItem, ServerToolCall } from "../../canonical/item.ts";

/** Anthropic's own ids have nothing of the kind. */
const PREFIX = "srvtoolu_gateway_";

/** A call that has ended, and its result. None for other tools: they have no blocks that clients know. */
export function renderServerToolBlocks(
  { callId, name, arguments: text, output }: ServerToolCall,
  { instance_name, name: variant }: JsonObject,
): readonly JsonObject[] {
  const shown = blocks.get(name);
  if (shown === undefined || output === undefined) return [];
  const input = recordIn(text);
  const id = PREFIX + callId.replaceAll(/[^A-Za-z0-9_]/g, "_");
  return [
    {
      type: "server_tool_use",
      id,
      name: typeof variant === "string" ? variant : shown.nameOf?.(input) ?? shown.name,
      input,
      ...(instance_name === undefined ? {} : { instance_name }),
    },
    { type: `${shown.name}_tool_result`, tool_use_id: id, content: shown.render(recordIn(output)) },
  ];
}

interface ToolBlocks {
  /** Name of Anthropic's tool, and of its result's block. */
  readonly name: string;
  /** Name of a call, where Anthropic has several such tools and the client has named none. */
  readonly nameOf?: (input: JsonObject) => string;
  readonly render: (output: JsonObject) => unknown;
  /** The other way. */
  readonly parse: (content: unknown) => JsonObject;
}

const SEARCH = "tool_search_tool";

/** By the gateway's name for the tool. */
const blocks: ReadonlyMap<string, ToolBlocks> = new Map([
  ["web_search", { name: "web_search", render: searchResults, parse: searchOutput }],
  ["web_fetch", { name: "web_fetch", render: fetchedPage, parse: pageOutput }],
  ["advisor", { name: "advisor", render: adviceResult, parse: adviceOutput }],
  ["tool_search", { name: "tool_search", nameOf: searchOf, render: foundTools, parse: foundOutput }],
  ["code_interpreter", { name: "code_execution", render: ranCode, parse: codeOutput }],
]);

function searchOf({ pattern }: JsonObject): string {
  return `${SEARCH}_${pattern === undefined ? "bm25" : "regex"}`;
}

function foundTools({ tools, error }: JsonObject): JsonObject {
  if (!Array.isArray(tools)) {
    const error_message = typeof error === "string" ? error : null;
    return { type: `${SEARCH}_result_error`, error_code: "invalid_tool_input", error_message };
  }
  const tool_references = tools.filter(isRecord).map(({ name }) => ({
    type: "tool_reference",
    tool_name: name,
  }));
  return { type: `${SEARCH}_search_result`, tool_references };
}

function foundOutput(found: unknown): JsonObject {
  const { tool_references, error_message, error_code } = isRecord(found) ? found : {};
  if (!Array.isArray(tool_references)) return { error: error_message ?? error_code ?? "unavailable" };
  return { tools: tool_references.filter(isRecord).map(({ tool_name: name }) => ({ name })) };
}

/** Exit code of a shell's `timeout` for a program that it has ended. */
const TIMED_OUT = 124;

function ranCode({ stdout, stderr, outcome, files }: JsonObject): JsonObject {
  if (typeof stdout !== "string" || !isRecord(outcome)) {
    return { type: "code_execution_tool_result_error", error_code: "unavailable" };
  }
  const made = Array.isArray(files) ? files.filter(isRecord) : [];
  return {
    type: "code_execution_result",
    stdout,
    stderr,
    return_code: outcome.type === "exit" ? outcome.exit_code : TIMED_OUT,
    content: made.map(({ file_id }) => ({ type: "code_execution_output", file_id })),
  };
}

/** `model` is ours: so the result can be told again as it was. */
function adviceResult({ advice: text, model, stop_reason = "end_turn", error_code }: JsonObject): JsonObject {
  return typeof text === "string"
    ? { type: "advisor_result", text, stop_reason, ...(model === undefined ? {} : { model }) }
    : { type: "advisor_tool_result_error", error_code: error_code ?? "unavailable" };
}

/** Clients bring `encrypted_content` back as it is: it has what the model was told of the page. */
function searchResults({ results, error_code: code = "unavailable" }: JsonObject): unknown {
  if (!Array.isArray(results)) return { type: "web_search_tool_result_error", error_code: code };
  return results.filter(isRecord).map(({ url, title, published, text }) => ({
    type: "web_search_result",
    url,
    title,
    encrypted_content: text,
    page_age: published ?? null,
  }));
}

function fetchedPage(
  { url, title, content, left_out: context, error_code: code = "unavailable" }: JsonObject,
): JsonObject {
  if (typeof content !== "string") return { type: "web_fetch_tool_result_error", error_code: code };
  const source = { type: "text", media_type: "text/plain", data: content };
  const document = { type: "document", source, title, ...(context === undefined ? {} : { context }) };
  return { type: "web_fetch_result", url, retrieved_at: null, content: document };
}

/** Whether a block, or the call that it answers, is of a tool of the gateway's. */
export const isOfGateway = ({ id, tool_use_id: of }: OwnBlock): boolean =>
  [id, of].some((one) => typeof one === "string" && one.startsWith(PREFIX));

/** The item of a call. */
export function parseServerToolCall({ id, name, input, instance_name }: OwnBlock): PassthroughItem {
  const [own = name] =
    [...blocks].find(([, shown]) =>
      shown.name === name || (shown.nameOf !== undefined && name?.startsWith(shown.name) === true)
    ) ?? [];
  const kind = `service:${own}`;
  const value = {
    type: kind,
    id,
    status: "completed",
    call_id: String(id).slice(PREFIX.length),
    arguments: JSON.stringify(input ?? {}),
    ...(typeof instance_name === "string" ? { instance_name } : {}),
  };
  return { type: "foreign", wire: "responses", kind, id: id ?? undefined, value };
}

/** The item with its result. */
export function withServerToolResult(item: PassthroughItem, { content }: OwnBlock): PassthroughItem {
  const shown = blocks.get(item.kind.slice("service:".length));
  const output = shown?.parse(content) ?? {};
  return { ...item, value: { ...item.value, output: JSON.stringify(output) } };
}

/** A run of bash in a container, as OpenRouter shows it: its call, where that is known, with the result. */
export function parseBashResult(
  { tool_use_id: callId, content, files, container_id }: OwnBlock,
  call: JsonObject | undefined,
): PassthroughItem {
  const kind = "service:bash";
  const value = {
    type: kind,
    id: String(callId),
    status: "completed",
    call_id: String(callId),
    arguments: JSON.stringify(isRecord(call?.input) ? call.input : {}),
    output: JSON.stringify(omitUndefined({ result: content, files, container_id })),
  };
  return { type: "foreign", wire: "responses", kind, id: String(callId), value };
}

function codeOutput(found: unknown): JsonObject {
  const { type, error_code: error, stdout, stderr, return_code } = isRecord(found) ? found : {};
  if (type !== "code_execution_result") return { error: error ?? "unavailable" };
  const outcome = return_code === TIMED_OUT ? { type: "timeout" } : { type: "exit", exit_code: return_code };
  return { stdout, stderr, outcome };
}

function adviceOutput(found: unknown): JsonObject {
  const { type, text: advice, model, stop_reason, error_code = "unavailable" } = isRecord(found) ? found : {};
  if (type !== "advisor_result") return { status: "error", error: error_code, error_code };
  return {
    status: "ok",
    ...(model === undefined ? {} : { model }),
    advice,
    ...(stop_reason === "max_tokens" ? { stop_reason } : {}),
  };
}

function searchOutput(content: unknown): JsonObject {
  if (!Array.isArray(content)) return pageOutput(content);
  const results = content.filter(isRecord).map(({ url, title, page_age, encrypted_content: text }) => ({
    url,
    title,
    ...(typeof page_age === "string" ? { published: page_age } : {}),
    text,
  }));
  return { results };
}

function pageOutput(found: unknown): JsonObject {
  const { url, content, error_code: error } = isRecord(found) ? found : {};
  if (!isRecord(content)) return { error: error ?? "unavailable" };
  const source = isRecord(content.source) ? content.source : {};
  const { title, context } = content;
  return { url, title, ...(context === undefined ? {} : { left_out: context }), content: source.data };
}

const recordIn = (text: string): JsonObject => parseCallArguments(text) ?? {};
