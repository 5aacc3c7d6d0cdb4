/** Reads the documents of a request for models that do not take them (specification, Plugins). */

import { ApiError, type ApiErrorKind } from "../../../../shared/errors.ts";
import type { FilePart } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { RouteCandidate } from "../../routing/selection/endpoint_order.ts";
import { takesDocument } from "../../routing/selection/file_requirements.ts";
import { UpstreamError } from "../../routing/upstream_error.ts";
import type { CallCost, CandidatePlugin, RequestContext, Stage } from "../../request_context.ts";
import type { PluginDefinition, PluginDeps, PluginExplained } from "../plugin.ts";
import type { PluginOptions, PluginUse } from "../plugin_use.ts";
import { annotateAnswer } from "./annotate_answer.ts";
import { documentsOf, hasDocument, isPdf, replaceDocuments } from "./document_parts.ts";
import { DocumentParser, NO_KEY, type RequestedEngine } from "./document_parser.ts";
import { mayUseCloudflare, ocrAccountFor } from "./ocr_account.ts";
import { ocrPurchases } from "./ocr_purchases.ts";

type Options = PluginOptions<"file-parser">;

/** Documents that one request may have. */
export const MAX_DOCUMENTS = 100;

export const fileParser: PluginDefinition<Options> = {
  impliedBy: (request) => hasDocument(request) ? { id: "file-parser" } : undefined,
  stage: ({ options }, deps) => parseFiles(options, deps),
  purchases: async ({ options }, { request, ...explained }) =>
    engineOf(options) === "mistral-ocr"
      ? await ocrPurchases(documentsOf(request), { ...explained, request })
      : undefined,
  explain,
};

/** `pdf-text` is the older name of `cloudflare-ai`. `native` leaves every file to the provider. */
function engineOf({ pdf }: Options): RequestedEngine | "native" {
  const engine = pdf?.engine ?? undefined;
  return engine === "pdf-text" ? "cloudflare-ai" : engine;
}

function parseFiles(options: Options, deps: PluginDeps): Stage {
  const engine = engineOf(options);
  return (next) => async (context) => {
    const documents = documentsOf(context.request);
    if (engine === "native" || documents.length === 0) return await next(context);
    if (documents.length > MAX_DOCUMENTS) throw tooMany(documents.length);
    const rules = await deps.rulesOf?.(context.caller);
    const asked = { rules, provider: context.request.provider };
    const ocrAccount = ocrAccountFor(deps.toolDeps.web.documents?.ocr, asked);
    if (engine === "mistral-ocr" && ocrAccount === undefined && documents.some(isPdf)) throw noKey();
    const parser = new DocumentParser({
      deps,
      context,
      engine,
      ocrAccount,
      cloudflare: mayUseCloudflare(asked) ? deps.toolDeps.web.documents?.cloudflare : undefined,
    });
    const plugin = new FilesOfRequest(parser, engine);
    try {
      const response = await next({
        ...context,
        candidatePlugins: [...context.candidatePlugins ?? [], plugin],
      });
      return context.origin?.api === "chat"
        ? { ...response, source: annotateAnswer(response.source, parser.annotations) }
        : response;
    } catch (error) {
      throw withAnnotations(error, parser);
    }
  };
}

/** The part that depends on the endpoint. */
class FilesOfRequest implements CandidatePlugin {
  readonly #parser: DocumentParser;
  readonly #engine: RequestedEngine;
  #candidates: readonly RouteCandidate[] = [];

  constructor(parser: DocumentParser, engine: RequestedEngine) {
    this.#parser = parser;
    this.#engine = engine;
  }

  choose(candidates: readonly RouteCandidate[]): readonly RouteCandidate[] {
    return this.#candidates = candidates;
  }

  /** Documents that the endpoint's model takes itself stay as they are, unless an engine is asked for. */
  async edit({ request, endpoint }: RequestContext, costOf: CallCost): Promise<ModelRequest> {
    if (endpoint === undefined) return request;
    const parsed = this.#parsedAt(endpoint, documentsOf(request));
    if (parsed.length === 0) return request;
    const before = () => costOf(replaceDocuments(request, new Map(parsed.map((part) => [part, unread]))));
    try {
      return replaceDocuments(request, await this.#parser.partsFor(parsed, { endpoint, before }));
    } catch (error) {
      throw this.#isTakenElsewhere(parsed, endpoint) ? asFaultAt(endpoint, error) : error;
    }
  }

  #parsedAt(endpoint: Endpoint, documents: readonly FilePart[]): readonly FilePart[] {
    return documents.filter((part) => isParsed(part, { endpoint, engine: this.#engine }));
  }

  /** Whether another candidate takes the documents as they are. */
  #isTakenElsewhere(documents: readonly FilePart[], { id }: Endpoint): boolean {
    return this.#candidates.some(({ profile: { endpoint } }) =>
      endpoint.id !== id && this.#parsedAt(endpoint, documents).length === 0
    );
  }
}

/** Kinds of errors that say that there is no text of a document. */
const withoutText: ReadonlySet<ApiErrorKind> = new Set(["invalid_request", "not_ready", "upstream_failed"]);

/** The next candidate may be asked: nobody was called. */
const asFaultAt = (endpoint: Endpoint, error: unknown): unknown =>
  error instanceof ApiError && withoutText.has(error.kind)
    ? new UpstreamError({
      endpoint,
      kind: "invalid_request",
      message: error.message,
      status: 0,
      endpointSpecific: true,
      cause: error,
    })
    : error;

/** Stands for the text of a document while nobody knows it. */
const unread = [{ type: "text", text: "." }] as const;

interface Candidate {
  readonly endpoint: Endpoint;
  readonly engine: RequestedEngine;
}

const isParsed = (part: FilePart, { endpoint, engine }: Candidate): boolean =>
  engine !== undefined && isPdf(part) || !takesDocument(endpoint, part);

const tooMany = (count: number) =>
  new ApiError("invalid_request", `The request has ${count} documents; at most ${MAX_DOCUMENTS} are read.`);

const noKey = () => new ApiError("invalid_request", NO_KEY);

/** Tells with the error what was parsed, so that the client need not have it parsed again. */
function withAnnotations(error: unknown, { annotations }: DocumentParser): unknown {
  if (!(error instanceof ApiError) || annotations.length === 0) return error;
  const metadata = { ...error.details.metadata, file_annotations: annotations };
  return new ApiError(error.kind, error.message, { ...error.details, metadata, cause: error });
}

function explain(
  { options }: PluginUse<Options>,
  { request, endpoint }: PluginExplained,
): string {
  const engine = engineOf(options);
  const documents = documentsOf(request);
  if (documents.length === 0) return "do nothing: the request has no documents";
  const parsed = engine === "native" || endpoint === undefined
    ? []
    : documents.filter((part) => isParsed(part, { endpoint, engine }));
  const words = (count: number) => count === 1 ? "1 document" : `${count} documents`;
  if (parsed.length === 0) return `leave ${words(documents.length)} to the provider, which takes files`;
  const how = engine === undefined ? "the local reader" : `the local reader, PDFs by ${engine}`;
  return `put the text of ${words(parsed.length)} in its place, read by ${how}`;
}
