/** Fetches a page or a document and reads its text, for the tool `web_fetch` and for the plugin `web-fetch` alike. */

import { FetchError } from "../../../web/fetch/fetch_error.ts";
import type { FetchedResource } from "../../../web/fetch/guarded_fetch.ts";
import { isReadableType } from "../../../web/reader/document_type.ts";
import { describeLack, describeLeftOut, type ReadInput } from "../../../web/reader/reader.ts";
import { type DomainRules, isAllowedUrl } from "../../../../shared/fields/domain_rules.ts";
import { cutBytes, truncateStart } from "../../../../shared/util/text.ts";
import type { WebAccess } from "../tool_definition.ts";
import { fetchErrorCodes, readErrorCodes, type WebFailure } from "./web_errors.ts";

/** Most tokens of a page where nobody says how many. */
export const DEFAULT_TOKENS = 25_000;
/** UTF-16 units of a page that are counted for their tokens: no token has more letters on average. */
const UNITS_PER_TOKEN = 8;
/** Most bytes of a page, so that its text is within the limit of a result. */
const MOST_BYTES = 40 * 1024;
/** UTF-16 units of a title and an address that the model is told. */
export const LONGEST_FACT = 2_000;

export interface PageAccess {
  readonly deps: { readonly web: WebAccess };
  readonly signal: AbortSignal;
}

interface PageRequest {
  readonly url: string;
  readonly domains: DomainRules;
  readonly mostTokens: number;
}

type LoadedPage =
  | { readonly type: "page"; readonly page: ReadPage; readonly httpStatus: number }
  | { readonly type: "failed"; readonly failure: WebFailure; readonly httpStatus?: number };

/** Rejects with the signal's reason, and for faults of the gateway. */
export async function loadPage(
  access: PageAccess,
  { url, domains, mostTokens }: PageRequest,
): Promise<LoadedPage> {
  const page = await fetchPage(access, { url, allows: (address) => isAllowedUrl(address, domains) });
  if ("reason" in page) return { type: "failed", failure: page };
  const { status, body, contentType } = page;
  if (status < 200 || status > 299) {
    const reason = `The server answers with status ${status}.`;
    return { type: "failed", failure: { reason, code: "url_not_accessible" }, httpStatus: status };
  }
  if (body === undefined) {
    return {
      type: "failed",
      failure: unreadable({ contentType, size: page.announcedSize }),
      httpStatus: status,
    };
  }
  const read = await readPage(access, { url: page.url, body, contentType, mostTokens });
  return "reason" in read
    ? { type: "failed", failure: read, httpStatus: status }
    : { type: "page", page: read, httpStatus: status };
}

interface PageAddress {
  readonly url: string;
  /** Asked of each address on the way. */
  readonly allows: (url: URL) => boolean;
}

async function fetchPage(
  { deps: { web }, signal }: PageAccess,
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
  { deps: { web }, signal }: PageAccess,
  { mostTokens: most, ...page }: PageBody & Pick<PageRequest, "mostTokens">,
): Promise<ReadPage | WebFailure> {
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
