/**
 * Tools that the provider runs itself (search, fetch, code): a call and its result, block by block. Our clients
 * see them as the hosted items that they know; clients of this same wire get the blocks as they were.
 */

import type { JsonObject, PassthroughItem } from "../../canonical/item.ts";
import { parseJsonOrText } from "../../common/outbound/error_text.ts";
import type { ContentBlock } from "./response_schema.ts";

/** The item as it opens: what is asked for comes later. */
export function openProviderCall(block: ContentBlock): PassthroughItem {
  const kind = kindOf(block);
  return { type: "foreign", wire: "responses", kind, value: { type: kind, status: "in_progress" } };
}

/** The item as it ends; without a result the provider has not finished yet. */
export function finishedProviderCall(call: ContentBlock, result: ContentBlock | undefined): PassthroughItem {
  const kind = kindOf(call);
  const input = record(call.input);
  const { more, textFallback } = kind === "code_interpreter_call"
    ? codeInterpreterItem(input, result)
    : webSearchItem(input, { call, result });
  const status = result === undefined ? "in_progress" : failed(result) ? "failed" : "completed";
  return {
    type: "foreign",
    wire: "responses",
    kind,
    value: { type: kind, status, ...more },
    textFallback,
    extra: { messages: { blocks: result === undefined ? [call] : [call, result] } },
  };
}

const CODE = "response.code_interpreter_call_code";

/** Events that show our clients a program before it has run. */
export function codeEvents(call: ContentBlock): readonly ({ readonly type: string } & JsonObject)[] {
  const code = kindOf(call) === "code_interpreter_call" ? codeOf(record(call.input)) : "";
  return code === "" ? [] : [{ type: `${CODE}.delta`, delta: code }, { type: `${CODE}.done`, code }];
}

const codeOf = (input: JsonObject): string =>
  text(input.code) || text(input.command) || JSON.stringify(input);

/** The arguments in one chunk, once they are all there. */
export const withInput = (block: ContentBlock, json: string): ContentBlock => ({
  ...block,
  input: json === "" ? block.input ?? {} : record(parseJsonOrText(json)),
});

/** Whether it is a tool of which our clients know the like. */
export const isProviderTool = ({ name }: ContentBlock): boolean =>
  /^(web_search|web_fetch|(bash_|text_editor_)?code_execution)$/.test(name ?? "");

const kindOf = ({ name }: ContentBlock) =>
  /code_execution/.test(name ?? "") ? "code_interpreter_call" : "web_search_call";

/** Words of an item: its provider's own, and ours for other providers. */
interface HostedView {
  readonly more: JsonObject;
  readonly textFallback: string;
}

interface Exchange {
  readonly call: ContentBlock;
  readonly result: ContentBlock | undefined;
}

function webSearchItem(input: JsonObject, { call, result }: Exchange): HostedView {
  if (call.name === "web_fetch") {
    const url = text(input.url);
    return { more: { action: { type: "open_page", url } }, textFallback: `[Opened ${url}]` };
  }
  const query = text(input.query);
  const urls = list(result?.content).map((one) => text(record(one).url)).filter((url) => url !== "");
  const action = { type: "search", query, sources: urls.map((url) => ({ type: "url", url })) };
  return { more: { action }, textFallback: [`[Searched the web for "${query}"]`, ...urls].join("\n") };
}

function codeInterpreterItem(input: JsonObject, result: ContentBlock | undefined): HostedView {
  const code = codeOf(input);
  const { stdout, stderr } = record(result?.content);
  const logs = [text(stdout), text(stderr)].filter((one) => one !== "").join("\n");
  const outputs = logs === "" ? [] : [{ type: "logs", logs }];
  return {
    more: { code, outputs },
    textFallback: [`[Ran code]`, code, logs].filter((one) => one !== "").join("\n"),
  };
}

const failed = ({ content }: ContentBlock) => /_error$/.test(text(record(content).type));

const text = (value: unknown): string => typeof value === "string" ? value : "";
const list = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
const record = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? { ...value } : {};
