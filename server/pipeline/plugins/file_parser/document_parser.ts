/** Parses the documents of one request, each once, when the first endpoint needs its text. */

import { ApiError } from "../../../../shared/errors.ts";
import { Memo } from "../../../../shared/util/memo.ts";
import { Semaphore } from "../../../../shared/util/semaphore.ts";
import { toUsdNumber } from "../../../../shared/money.ts";
import type { ReservationRequest } from "../../../billing/ledger/core/ledger.ts";
import type { ContentPart, FilePart } from "../../../protocols/canonical/item.ts";
import type { FileAnnotation } from "../../../../shared/chat/file_annotation.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { DocumentServices } from "../../../web/documents/document_services.ts";
import type { OcrAccount } from "../../../web/documents/mistral_ocr.ts";
import type { RequestContext } from "../../request_context.ts";
import type { StageRecord } from "../../request_record.ts";
import type { PluginDeps } from "../plugin.ts";
import { callForPlugin, type PluginCall } from "../plugin_call.ts";
import { documentName } from "./document_name.ts";
import { loadDocument, type LoadedDocument, unreadable } from "./load_document.ts";
import {
  annotationOf,
  documentParts,
  type ParsedDocument,
  type ParsedText,
  type ParserEngine,
} from "./parsed_document.ts";
import { isPdfFile, readLocally } from "./read_locally.ts";
import { buyOcr } from "./buy_ocr.ts";
import { keepText, keptText } from "./keep_text.ts";

/** Pictures of pages that one request may show. */
export const MAX_IMAGES = 8;
/** Documents of a request that are read side by side: the reader has a line for all requests. */
const AT_ONCE = 4;
/** Milliseconds that one document may take. */
const DOCUMENT_MS = 150_000;

export type RequestedEngine = "mistral-ocr" | "cloudflare-ai" | undefined;

interface DocumentParserOptions {
  readonly deps: PluginDeps;
  readonly context: RequestContext;
  /** Reads PDFs whatever the endpoint takes; undefined: the local reader, and scans by OCR. */
  readonly engine: RequestedEngine;
  /** Undefined where there is no key for OCR, or Mistral may not have the texts. */
  readonly ocrAccount: OcrAccount | undefined;
  /** Likewise. */
  readonly cloudflare: DocumentServices["cloudflare"] | undefined;
}

interface ReadDocument {
  readonly engine: ParserEngine;
  readonly read: ParsedText;
}

export class DocumentParser {
  readonly #options: DocumentParserOptions;
  readonly #known: ReadonlyMap<string, FileAnnotation["file"]>;
  readonly #parsing: ParsingDocument[] = [];
  readonly #done: ParsedDocument[] = [];
  readonly #slots = new Semaphore({ most: AT_ONCE });
  /** One of the documents that are read now has no text: the endpoint cannot be asked, and the others are not begun. */
  #hasFailed = false;
  #stage: StageRecord | undefined;

  constructor(options: DocumentParserOptions) {
    this.#options = options;
    const { knownFiles = [] } = options.context.request;
    this.#known = new Map(knownFiles.map(({ file }) => [file.hash, file]));
  }

  /** Documents that have been parsed, as a chat tells of them. */
  get annotations(): readonly FileAnnotation[] {
    return this.#done.map(annotationOf);
  }

  /** The parts that an endpoint gets instead of the documents. Rejects with an ApiError. */
  async partsFor(
    parts: readonly FilePart[],
    { endpoint: { model: { inputModalities } }, before }: ParsedCall,
  ): Promise<ReadonlyMap<FilePart, readonly ContentPart[]>> {
    this.#hasFailed = false;
    const documents = await Promise.all(
      parts.map(async (part) => ({ part, document: await this.#parsed(part, before) })),
    );
    this.#note();
    let left = inputModalities.includes("image") ? MAX_IMAGES : 0;
    return new Map(documents.map(({ part, document }) => {
      const images = document.images.slice(0, left);
      left -= images.length;
      return [part, documentParts(document, { part, images })];
    }));
  }

  #parsed(part: FilePart, before: ParsedCall["before"]): Promise<ParsedDocument> {
    const known = this.#parsing.find((one) => isSame(one.part, part));
    if (known !== undefined) return known.parsed.get();
    const parsed = new Memo(() => this.#parse(part, before));
    this.#parsing.push({ part, parsed });
    return parsed.get();
  }

  async #parse(part: FilePart, before: ParsedCall["before"]): Promise<ParsedDocument> {
    const { deps, context } = this.#options;
    const parsed = await callForPlugin(context, {
      deps,
      id: "file-parser",
      ms: DOCUMENT_MS,
      work: async (pluginCall) => {
        await this.#slots.take(pluginCall.signal);
        try {
          if (this.#hasFailed) throw unreadable(part, "another document of the request has no text.");
          const loaded = await loadDocument(part, { web: deps.toolDeps.web, signal: pluginCall.signal });
          return this.#sentBack(part, loaded) ?? await this.#read(part, { loaded, pluginCall, before });
        } catch (error) {
          this.#hasFailed = true;
          throw error;
        } finally {
          this.#slots.release();
        }
      },
    });
    this.#done.push(parsed);
    return parsed;
  }

  /** As the client got it with an earlier answer. */
  #sentBack(part: FilePart, { hash, bytes }: LoadedDocument): ParsedDocument | undefined {
    const file = this.#known.get(hash);
    if (file === undefined) return undefined;
    const text = file.content.flatMap((one) => one.type === "text" ? [one.text] : []).join("\n");
    const images = file.content.flatMap((one) => one.type === "image_url" ? [one.image_url.url] : []);
    const engine = isPdfFile(bytes) ? this.#options.engine ?? "local" : "local";
    return { name: documentName(part), hash, engine, text, images, known: "annotation" };
  }

  async #read(part: FilePart, input: ReadInput): Promise<ParsedDocument> {
    const { loaded } = input;
    const { engine, read } = isPdfFile(loaded.bytes)
      ? await this.#readPdf(part, input)
      : { engine: "local" as const, read: await this.#readLocally(part, input) };
    if (read === undefined) throw unreadable(part, "it has no text.");
    return { ...read, engine, name: documentName(part), hash: loaded.hash };
  }

  async #readPdf(part: FilePart, input: ReadInput): Promise<ReadDocument> {
    const { engine, cloudflare } = this.#options;
    if (engine === "mistral-ocr") return { engine, read: await this.#readByOcr(part, input) };
    if (engine === "cloudflare-ai" && cloudflare !== undefined) {
      return { engine, read: await this.#readByCloudflare(part, input) };
    }
    const read = await this.#readLocally(part, input);
    if (read !== undefined) return { engine: "local", read };
    if (this.#options.ocrAccount === undefined) throw unreadable(part, NO_TEXT);
    return { engine: "mistral-ocr", read: await this.#readByOcr(part, input) };
  }

  #readLocally(
    part: FilePart,
    { loaded, pluginCall: { signal } }: ReadInput,
  ): Promise<ParsedText | undefined> {
    const { web } = this.#options.deps.toolDeps;
    return this.#kept({ engine: "local", loaded }, () => readLocally(loaded, { web, part, signal }));
  }

  #readByOcr(part: FilePart, { loaded, pluginCall, before }: ReadInput): Promise<ParsedText> {
    const { ocrAccount, deps: { clock, toolDeps: { web } } } = this.#options;
    const ocr = web.documents?.ocr;
    if (ocr === undefined || ocrAccount === undefined) throw unreadable(part, NO_KEY);
    const maxImages = MAX_IMAGES;
    return this.#kept(
      { engine: "mistral-ocr", loaded },
      () =>
        buyOcr(loaded, { ocr, account: ocrAccount, clock, part, pluginCall, maxImages, before: before() }),
    );
  }

  #readByCloudflare(part: FilePart, { loaded, pluginCall: { signal } }: ReadInput): Promise<ParsedText> {
    const convert = this.#options.cloudflare;
    return this.#kept({ engine: "cloudflare-ai", loaded }, async () => {
      const mediaType = "application/pdf";
      const reply = await convert?.({ bytes: loaded.bytes, name: documentName(part), mediaType, signal });
      if (reply?.type === "read") return { text: reply.text, images: [] };
      if (reply?.type === "refused") throw unreadable(part, `Cloudflare refuses it: ${reply.message}`);
      throw new ApiError("upstream_failed", reply?.message ?? "Cloudflare is not set up.");
    });
  }

  async #kept<Read extends ParsedText | undefined>(
    { engine, loaded }: { readonly engine: ParserEngine; readonly loaded: LoadedDocument },
    read: () => Promise<Read>,
  ): Promise<Read | ParsedText> {
    const { deps, context } = this.#options;
    const key = { workspaceId: context.caller.workspaceId, hash: loaded.hash, engine };
    const place = deps.toolDeps.web.documents?.kept;
    const found = await keptText(place, { key, loaded });
    if (found !== undefined) return found;
    const made = await read();
    if (made !== undefined) await keepText(place, { key, loaded, text: made });
    return made;
  }

  /** One stage tells of all documents. */
  #note(): void {
    const { record } = this.#options.context;
    const pages = this.#done.reduce((sum, document) => sum + (document.pages ?? 0), 0);
    const engine = [...new Set(this.#done.map((document) => document.engine))].join(", ");
    const files = this.#done.length;
    const summary = `Put the text of ${files === 1 ? "1 file" : `${files} files`} in the place of it`;
    const cost = this.#cost();
    const stage: StageRecord = {
      type: "plugin",
      name: "file-parser",
      summary,
      ...(cost === undefined ? {} : { cost_usd: cost }),
      data: { files, pages, engine },
    };
    record.addStage(stage, this.#stage);
    this.#stage = stage;
  }

  /** USD that the gateway's account has been charged; undefined where nothing was bought. */
  #cost(): number | undefined {
    const calls = this.#options.context.record.calls.filter(({ purpose }) =>
      purpose === "plugin:file-parser"
    );
    const costs = calls.flatMap(({ callCosts }) => callCosts);
    if (costs.length === 0) return undefined;
    return costs.reduce((sum, { charge }) => sum + toUsdNumber(charge.total), 0);
  }
}

interface ParsingDocument {
  readonly part: FilePart;
  readonly parsed: Memo<ParsedDocument>;
}

/** Guardrails may have made another object of it, in a later turn of the request. */
const isSame = (one: FilePart, other: FilePart): boolean =>
  one === other || one.data === other.data && one.url === other.url && one.filename === other.filename;

/** The model's call for which documents are parsed. */
interface ParsedCall {
  readonly endpoint: Endpoint;
  /** Asked where something is to be bought. */
  readonly before: () => ReservationRequest | undefined;
}

interface ReadInput extends Pick<ParsedCall, "before"> {
  readonly loaded: LoadedDocument;
  readonly pluginCall: PluginCall;
}

export const NO_KEY =
  "pdf.engine mistral-ocr needs a key of Mistral (set MISTRAL_API_KEY, or bring one to the workspace), and that neither " +
  "a guardrail nor provider of the request keeps texts from it.";
const NO_TEXT =
  "it has no text that can be read: its pages are pictures, or use letters of fonts that are not in it. " +
  `OCR reads both: ${NO_KEY}`;
