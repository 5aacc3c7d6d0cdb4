/** Reads a page or a document of the web (specification, Tools). */

import type { JsonObject } from "../canonical/item.ts";
import { FetchError } from "../fetch/fetch_error.ts";
import type { FetchedResource } from "../fetch/guarded_fetch.ts";
import { isReadableType } from "../reader/document_type.ts";
import { isAllowedUrl } from "../../shared/fields/domain_rules.ts";
import { truncateStart } from "../../shared/util/text.ts";
import {
  failedCall,
  textOf,
  type ToolDefinition,
  type ToolInput,
  type ToolOutcome,
} from "./tool_definition.ts";
import { truncateBytes } from "./run_tool.ts";
import { serverToolId } from "./server_tool_id.ts";
import { positive, rulesIn } from "./web_search_settings.ts";

const parameters = {
  type: "object",
  properties: { url: { type: "string", description: "The https address of the page." } },
  required: ["url"],
  additionalProperties: false,
} as const;

const DEFAULT_TOKENS = 25_000;
/** UTF-16 units of a page that are counted for their tokens: no token has more letters on average. */
const UNITS_PER_TOKEN = 8;
/** Of a page, so that what the model is told of it is within the limit of a result. */
const MOST_BYTES = 40 * 1024;
/** UTF-16 units of a title and an address that the model is told. */
const LONGEST_FACT = 2_000;

export const webFetch: ToolDefinition = {
  kind: "web_fetch",
  describe: () => ({ description: "Reads a page or a document of the web as text.", parameters }),
  itemFields: ({ url }) => ({ url: textOf(url) ?? "" }),
  failedStatus: "incomplete",
  argumentsOf: ({ url }) => textOf(url) === undefined ? undefined : { url },
  outputOf: (item) => textOf(item.content) === undefined ? undefined : outputOf(item),
  messagesBlocks: ({ callId, args, fields }) => [
    { type: "server_tool_use", id: serverToolId(callId), name: "web_fetch", input: args },
    { type: "web_fetch_tool_result", tool_use_id: serverToolId(callId), content: messagesContent(fields) },
  ],
  isAvailable: ({ settings: { engine } }) => engine !== "native",
  switchOn: 'Set its engine to "auto".',
  run,
};

async function run(input: ToolInput): Promise<ToolOutcome> {
  const { args, settings, memory, deps: { web }, signal } = input;
  const url = textOf(args.url);
  if (url === undefined) return failedCall("url is missing.");
  const allowed = rulesIn([settings.allowed_domains]);
  const excluded = rulesIn([settings.blocked_domains]);
  if (!isAllowedUrl(url, { allowed, excluded })) {
    return failedPage(url, "The request does not allow this address.");
  }
  const uses = positive(settings.max_uses) ?? Infinity;
  if (!memory.takeUse("web_fetch", uses)) {
    return failedPage(url, `web_fetch may be used ${uses} times, and was.`);
  }
  const page = await fetchPage(input, url);
  if (typeof page === "string") return failedPage(url, page);
  if (!isAllowedUrl(page.url, { allowed, excluded })) {
    return failedPage(url, "It leads to an address that the request does not allow.");
  }
  const httpStatus = page.status;
  if (httpStatus < 200 || httpStatus > 299) {
    return failedPage(url, `The server answers with status ${httpStatus}.`, { httpStatus });
  }
  const { body, contentType, announcedSize } = page;
  if (body === undefined) return failedPage(url, unreadable({ contentType, announcedSize }), { httpStatus });
  const most = positive(settings.max_content_tokens) ?? DEFAULT_TOKENS;
  const document = await web.read({
    body,
    contentType,
    url: page.url,
    maxCharacters: most * UNITS_PER_TOKEN,
    signal,
  });
  if (document.type === "failed") return failedPage(url, document.message, { httpStatus });
  const title = truncateStart(document.title ?? "", LONGEST_FACT);
  const content = truncateBytes(await web.firstTokens(document.text, most), MOST_BYTES);
  memory.addSource({ url: page.url, title });
  memory.addSource({ url, title });
  const fields = {
    url: page.url,
    title,
    content,
    httpStatus,
    ...(document.published === undefined ? {} : { published: document.published }),
    ...(document.truncated || content.length < document.text.length ? { truncated: true } : {}),
  };
  return { output: outputOf(fields), fields };
}

/** A string says why there is none. */
async function fetchPage(
  { deps: { web }, signal }: ToolInput,
  url: string,
): Promise<FetchedResource | string> {
  try {
    return await web.fetch({ url, accepts: isReadableType, signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof FetchError)) throw error;
    return error.message;
  }
}

function unreadable(
  { contentType, announcedSize }: Pick<FetchedResource, "contentType" | "announcedSize">,
): string {
  const type = truncateStart(contentType.split(";", 1)[0]?.trim() || "an unknown type", 100);
  const size = announcedSize === undefined ? "" : ` of ${announcedSize} bytes`;
  return `It is a file${size} of the type ${type}, which cannot be read as text.`;
}

const failedPage = (url: string, reason: string, more: JsonObject = {}): ToolOutcome =>
  failedCall(reason, { url: truncateStart(url, LONGEST_FACT), ...more, error: reason });

const outputOf = ({ url, title, published, content, truncated }: JsonObject): string =>
  JSON.stringify({ url, title, published, content, truncated });

/** As Anthropic's tool gives a page. */
function messagesContent({ url, title, content }: JsonObject): JsonObject {
  if (textOf(content) === undefined) {
    return { type: "web_fetch_tool_result_error", error_code: "url_not_accessible" };
  }
  return {
    type: "web_fetch_result",
    url,
    content: {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: content },
      title,
    },
  };
}
