/** Mistral's optical character recognition: `POST /v1/ocr`, paid a page. */

import * as z from "zod";
import { costOf, type NanoUsd, parseUnitPrice } from "../../../shared/money.ts";
import { writeJson } from "../../../shared/util/json.ts";
import { truncate } from "../../../shared/util/text.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { exchange, type ServiceDeps } from "./service_exchange.ts";
import { ocrPrices } from "./ocr_prices.ts";

/** Owner of the key with which it is asked. */
export interface OcrAccount {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Names the key to the transport: a connection carries calls of one only. */
  readonly credentialHash: string;
  /** The workspace's own key: its owner pays. */
  readonly byok: boolean;
}

interface OcrRequest {
  /** A PDF. */
  readonly base64: string;
  readonly maxPages: number;
  /** It has no more pages than these. */
  readonly isWhole: boolean;
  readonly maxImages: number;
  readonly account: OcrAccount;
  readonly signal: AbortSignal;
}

export type OcrReply =
  | {
    readonly type: "read";
    readonly text: string;
    /** Pages that are paid. */
    readonly pages: number;
    /** Data URLs. */
    readonly images: readonly string[];
  }
  /** The document is at fault; `message` ends a sentence. */
  | { readonly type: "refused"; readonly message: string }
  /** `message` is one sentence. */
  | { readonly type: "failed"; readonly message: string };

export interface OcrService {
  /** The gateway's own key is in it; undefined where it has none, and no workspace may bring one. */
  readonly endpoint: Endpoint | undefined;
  /** Whether the gateway has a key of its own. */
  readonly hasKey: boolean;
  /** The cost of so many pages. */
  readonly price: (pages: number) => NanoUsd;
  /** Rejects with the signal's reason only. */
  readonly read: (request: OcrRequest) => Promise<OcrReply>;
}

const MODEL = "mistral-ocr-latest";

const ocrAnswer = z.looseObject({
  pages: z.array(z.looseObject({
    markdown: z.string(),
    images: z.array(z.looseObject({ image_base64: z.string().nullish() })).nullish(),
  })),
  usage_info: z.looseObject({ pages_processed: z.number().catch(0) }).catch({ pages_processed: 0 }),
});

const ocrError = z.looseObject({ message: z.string().nullish(), detail: z.string().nullish() });

export function createOcr(
  deps: ServiceDeps,
  { endpoint, hasKey }: Pick<OcrService, "endpoint" | "hasKey">,
): OcrService {
  const perPage = parseUnitPrice(ocrPrices[MODEL].page);
  return {
    endpoint,
    hasKey,
    price: (pages) => costOf([{ quantity: pages, price: perPage }]),
    read: (request) => askMistral(deps, request),
  };
}

async function askMistral(
  deps: ServiceDeps,
  { base64, maxPages, isWhole, maxImages, account, signal }: OcrRequest,
): Promise<OcrReply> {
  const { baseUrl, headers, credentialHash } = account;
  const answer = await exchange(deps, {
    service: "Mistral OCR",
    url: `${baseUrl}/ocr`,
    baseUrl,
    credentialHash,
    headers: { ...headers, "content-type": "application/json" },
    body: writeJson({
      model: MODEL,
      document: { type: "document_url", document_url: `data:application/pdf;base64,${base64}` },
      ...(isWhole ? {} : { pages: `0-${maxPages - 1}` }),
      include_image_base64: maxImages > 0,
      ...(maxImages > 0 ? { image_limit: maxImages } : {}),
    }),
    signal,
  });
  return answer.type === "failed" ? answer : parseReply(answer, { maxImages });
}

const UNREADABLE: ReadonlySet<number> = new Set([400, 413, 415, 422]);

function parseReply(
  { status, json }: { readonly status: number; readonly json: unknown },
  { maxImages }: { readonly maxImages: number },
): OcrReply {
  if (UNREADABLE.has(status)) {
    const { message, detail } = ocrError.safeParse(json).data ?? {};
    return { type: "refused", message: truncate(message ?? detail ?? `status ${status}`, 200) };
  }
  if (status !== 200) return { type: "failed", message: `Mistral OCR failed with status ${status}.` };
  const { data } = ocrAnswer.safeParse(json);
  if (data === undefined) return { type: "failed", message: "Mistral OCR gave an answer that is none." };
  const images = data.pages.flatMap((page) => page.images ?? [])
    .map((image) => image.image_base64).filter((image) => image?.startsWith("data:image/") === true)
    .filter((image) => typeof image === "string");
  return {
    type: "read",
    text: data.pages.map(({ markdown }) => markdown.trim()).join("\n\n"),
    // What came was read, whatever is counted.
    pages: Math.max(data.usage_info.pages_processed, data.pages.length),
    images: images.slice(0, maxImages),
  };
}
