/**
 * Searches and pages of the gateway's own tools, as Anthropic's tools show theirs: a client of the Messages API knows
 * these blocks, and brings them back with its next request.
 */

import { isRecord } from "../../../../shared/util/json.ts";
import { parseCallArguments } from "../../../canonical/call_arguments.ts";
import type { OwnBlock } from "../../../../shared/messages/blocks.ts";
import type { JsonObject, PassthroughItem, ServerToolCall } from "../../../canonical/item.ts";

/** Anthropic's own ids have nothing of the kind. */
const PREFIX = "srvtoolu_gateway_";

/** A call that has ended, and its result. None for other tools: they have no blocks that clients know. */
export function renderServerToolBlocks(
  { callId, name, arguments: text, output }: ServerToolCall,
): readonly JsonObject[] {
  const render = results.get(name);
  if (render === undefined || output === undefined) return [];
  const id = PREFIX + callId.replaceAll(/[^A-Za-z0-9_]/g, "_");
  return [
    { type: "server_tool_use", id, name, input: recordIn(text) },
    { type: `${name}_tool_result`, tool_use_id: id, content: render(recordIn(output)) },
  ];
}

const results: ReadonlyMap<string, (output: JsonObject) => unknown> = new Map([
  ["web_search", searchResults],
  ["web_fetch", fetchedPage],
]);

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
export function parseServerToolCall({ id, name, input }: OwnBlock): PassthroughItem {
  const kind = `service:${name}`;
  const value = {
    type: kind,
    id,
    status: "completed",
    call_id: String(id).slice(PREFIX.length),
    arguments: JSON.stringify(input ?? {}),
  };
  return { type: "foreign", wire: "responses", kind, id: id ?? undefined, value };
}

/** The item with its result. */
export function withServerToolResult(item: PassthroughItem, { content }: OwnBlock): PassthroughItem {
  const output = Array.isArray(content)
    ? searchOutput(content)
    : pageOutput(isRecord(content) ? content : {});
  return { ...item, value: { ...item.value, output: JSON.stringify(output) } };
}

const searchOutput = (content: readonly unknown[]): JsonObject => ({
  results: content.filter(isRecord).map(({ url, title, page_age, encrypted_content: text }) => ({
    url,
    title,
    ...(typeof page_age === "string" ? { published: page_age } : {}),
    text,
  })),
});

function pageOutput({ url, content, error_code: error }: JsonObject): JsonObject {
  if (!isRecord(content)) return { error: error ?? "unavailable" };
  const source = isRecord(content.source) ? content.source : {};
  const { title, context } = content;
  return { url, title, ...(context === undefined ? {} : { left_out: context }), content: source.data };
}

const recordIn = (text: string): JsonObject => parseCallArguments(text) ?? {};
