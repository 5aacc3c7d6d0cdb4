/** Reads a page or a document of the web (specification, Tools). */

import type { JsonObject } from "../canonical/item.ts";
import { FetchError } from "../fetch/fetch_error.ts";
import type { FetchedResource } from "../fetch/guarded_fetch.ts";
import { isReadableType } from "../reader/document_type.ts";
import { describeLack, type ReadInput } from "../reader/reader.ts";
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
import { domainIssue, positive, rulesIn } from "./web_search_settings.ts";

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
  checkSettings: ({ settings }) => domainIssue(settings),
  isAvailable: ({ settings: { engine } }) => engine !== "native",
  switchOn: 'Set its engine to "auto".',
  run,
};

async function run(input: ToolInput): Promise<ToolOutcome> {
  const { args, settings, memory } = input;
  const url = textOf(args.url);
  if (url === undefined) return failedCall("url is missing.");
  const domains = {
    allowed: rulesIn([settings.allowed_domains]),
    excluded: rulesIn([settings.blocked_domains]),
  };
  const allows = (address: URL) => isAllowedUrl(address, domains);
  const uses = positive(settings.max_uses) ?? Infinity;
  if (!memory.takeUse("web_fetch", uses)) {
    return failedPage(url, `web_fetch may be used ${uses} times, and was.`);
  }
  const page = await fetchPage(input, { url, allows });
  if (typeof page === "string") return failedPage(url, page);
  const { status: httpStatus, body, contentType } = page;
  if (httpStatus < 200 || httpStatus > 299) {
    return failedPage(url, `The server answers with status ${httpStatus}.`, { httpStatus });
  }
  if (body === undefined) return failedPage(url, unreadable(page), { httpStatus });
  const fields = await readPage(input, { url: page.url, body, contentType });
  if (typeof fields === "string") return failedPage(url, fields, { httpStatus });
  for (const address of [page.url, url]) memory.addSource({ url: address, title: fields.title });
  const shown = { ...fields, httpStatus };
  return { output: outputOf(shown), fields: shown };
}

interface PageAddress {
  readonly url: string;
  /** Asked of each address on the way. */
  readonly allows: (url: URL) => boolean;
}

/** A string says why there is none. */
async function fetchPage(
  { deps: { web }, signal }: ToolInput,
  { url, allows }: PageAddress,
): Promise<FetchedResource | string> {
  try {
    return await web.fetch({ url, accepts: isReadableType, allows, signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof FetchError)) throw error;
    return error.message;
  }
}

type PageBody = Pick<ReadInput, "url" | "body" | "contentType">;

/** A string says why it cannot be read. */
async function readPage({ settings, deps: { web }, signal }: ToolInput, page: PageBody) {
  const most = positive(settings.max_content_tokens) ?? DEFAULT_TOKENS;
  const document = await web.read({ ...page, maxCharacters: most * UNITS_PER_TOKEN, signal });
  if (document.type === "failed") return document.message;
  const { text, published, truncated, lack } = document;
  if (lack !== undefined) return describeLack(lack);
  const content = truncateBytes(await web.firstTokens(text, most), MOST_BYTES);
  return {
    url: page.url,
    title: truncateStart(document.title ?? "", LONGEST_FACT),
    content,
    ...(published === undefined ? {} : { published: truncateStart(published, LONGEST_FACT) }),
    ...(truncated || content.length < text.length ? { truncated: true } : {}),
  };
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
