/** Reads a page or a document of the web (specification, Tools). */

import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { FetchError } from "../../../web/fetch/fetch_error.ts";
import type { FetchedResource } from "../../../web/fetch/guarded_fetch.ts";
import { isReadableType } from "../../../web/reader/document_type.ts";
import { describeLack, describeLeftOut, type ReadInput } from "../../../web/reader/reader.ts";
import { isAllowedUrl } from "../../../../shared/fields/domain_rules.ts";
import { cutBytes, truncateStart } from "../../../../shared/util/text.ts";
import { textOf, type ToolDefinition, type ToolInput, type ToolOutcome } from "../tool_definition.ts";
import { failedWebCall, fetchErrorCodes, readErrorCodes, type WebFailure } from "./web_errors.ts";
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
/** Most bytes of a page, so that its text is within the limit of a result. */
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
  if (url === undefined) return failedWebCall({ reason: "url is missing.", code: "invalid_input" });
  const domains = {
    allowed: rulesIn([settings.allowed_domains]),
    excluded: rulesIn([settings.blocked_domains]),
  };
  const allows = (address: URL) => isAllowedUrl(address, domains);
  const uses = positive(settings.max_uses) ?? Infinity;
  if (!memory.takeUse("web_fetch", uses)) {
    const reason = `web_fetch may be used ${uses} times, and was.`;
    return failedPage({ reason, code: "max_uses_exceeded" }, { url });
  }
  const page = await fetchPage(input, { url, allows });
  if ("reason" in page) return failedPage(page, { url });
  const { status, body, contentType } = page;
  if (status < 200 || status > 299) {
    const reason = `The server answers with status ${status}.`;
    return failedPage({ reason, code: "url_not_accessible" }, { url, httpStatus: status });
  }
  if (body === undefined) {
    return failedPage(unreadable({ contentType, size: page.announcedSize }), { url, httpStatus: status });
  }
  const fields = await readPage(input, { url: page.url, body, contentType });
  if ("reason" in fields) return failedPage(fields, { url, httpStatus: status });
  for (const address of [page.url, url]) memory.addSource({ url: address, title: fields.title });
  const shown = { ...fields, httpStatus: status };
  return { output: outputOf(shown), fields: shown };
}

interface PageAddress {
  readonly url: string;
  /** Asked of each address on the way. */
  readonly allows: (url: URL) => boolean;
}

async function fetchPage(
  { deps: { web }, signal }: ToolInput,
  { url, allows }: PageAddress,
): Promise<FetchedResource | WebFailure> {
  try {
    return await web.fetch({ url, accepts: isReadableType, allows, signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof FetchError)) throw error;
    return { reason: error.message, code: fetchErrorCodes[error.kind] };
  }
}

type PageBody = Pick<ReadInput, "url" | "body" | "contentType">;

interface ReadPage {
  readonly url: string;
  readonly title: string;
  readonly content: string;
  readonly left_out?: string;
  readonly published?: string;
  readonly truncated?: true;
}

async function readPage(
  { settings, deps: { web }, signal }: ToolInput,
  page: PageBody,
): Promise<ReadPage | WebFailure> {
  const most = positive(settings.max_content_tokens) ?? DEFAULT_TOKENS;
  const document = await web.read({ ...page, maxCharacters: most * UNITS_PER_TOKEN, signal });
  if (document.type === "failed") {
    const { reason, message } = document;
    if (reason === "unsupported_type") return unreadable({ ...page, size: page.body.length });
    return { reason: message, code: readErrorCodes[reason] };
  }
  const { text, published, truncated, lack, leftOut } = document;
  if (lack !== undefined) return { reason: describeLack(lack), code: "url_not_accessible" };
  const content = cutBytes(await web.firstTokens(text, most), MOST_BYTES);
  return {
    url: page.url,
    title: truncateStart(document.title ?? "", LONGEST_FACT),
    content,
    ...(leftOut === undefined ? {} : { left_out: describeLeftOut(leftOut) }),
    ...(published === undefined ? {} : { published: truncateStart(published, LONGEST_FACT) }),
    ...(truncated || content.length < text.length ? { truncated: true as const } : {}),
  };
}

interface UnreadableFile {
  readonly contentType: string;
  /** Bytes, where they are known. */
  readonly size: number | undefined;
}

function unreadable({ contentType, size }: UnreadableFile): WebFailure {
  const type = truncateStart(contentType.split(";", 1)[0]?.trim() || "an unknown type", 100);
  const measure = size === undefined ? "" : ` of ${size} bytes`;
  return {
    reason: `It is a file${measure} of the type ${type}, which cannot be read as text.`,
    code: "unsupported_content_type",
  };
}

interface FailedAddress {
  readonly url: string;
  readonly httpStatus?: number;
}

const failedPage = (failure: WebFailure, { url, ...more }: FailedAddress): ToolOutcome =>
  failedWebCall(failure, { url: truncateStart(url, LONGEST_FACT), ...more, error: failure.reason });

const outputOf = ({ url, title, published, left_out, content, truncated }: JsonObject): string =>
  JSON.stringify({ url, title, published, left_out, content, truncated });
