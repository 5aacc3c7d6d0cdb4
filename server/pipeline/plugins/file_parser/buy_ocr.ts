/** A document read by optical character recognition, which is paid a page. */

import { ApiError } from "../../../../shared/errors.ts";
import { pause } from "../../../../shared/util/pause.ts";
import { runWork } from "../../../../shared/util/run_work.ts";
import type { ReservationRequest } from "../../../billing/ledger/core/ledger.ts";
import { countPages } from "../../../billing/documents/page_counts.ts";
import type { FilePart } from "../../../protocols/canonical/item.ts";
import { toCount } from "../../../protocols/canonical/usage.ts";
import type { Clock } from "../../../runtime.ts";
import type { OcrAccount, OcrReply, OcrService } from "../../../web/documents/mistral_ocr.ts";
import type { PluginCall } from "../plugin_call.ts";
import { type LoadedDocument, unreadable } from "./load_document.ts";
import type { ParsedText } from "./parsed_document.ts";
import { MAX_PAGES } from "./read_locally.ts";

interface OcrInput {
  readonly ocr: OcrService;
  readonly account: OcrAccount;
  readonly clock: Pick<Clock, "monotonic">;
  readonly part: FilePart;
  readonly pluginCall: PluginCall;
  readonly maxImages: number;
  /** The model's call, which has the text of the document. */
  readonly before: ReservationRequest | undefined;
}

interface PagesToPay {
  /** Undefined where they cannot be counted. */
  readonly pages: number | undefined;
  /** Pages that are read, and paid. */
  readonly most: number;
}

export async function pagesToPay(base64: string, clock: Pick<Clock, "monotonic">): Promise<PagesToPay> {
  const counts = await runWork(countPages([base64]), { clock, pause, mostMs: Infinity });
  const pages = counts.get(base64);
  return { pages, most: Math.min(pages ?? MAX_PAGES, MAX_PAGES) };
}

/** Throws an ApiError where the service fails, which costs nothing. */
export async function buyOcr(
  { bytes }: LoadedDocument,
  { ocr, account, clock, part, pluginCall, maxImages, before }: OcrInput,
): Promise<ParsedText> {
  const base64 = bytes.toBase64();
  const { pages, most } = await pagesToPay(base64, clock);
  const read = await pluginCall.purchase<OcrReply>({
    service: "Mistral OCR",
    rate: "ocrPage",
    price: ocr.price(most),
    quantity: most,
    byok: account.byok,
    before,
    buy: async () => {
      const reply = await ocr.read({
        base64,
        maxPages: most,
        isWhole: pages === most,
        maxImages,
        account,
        signal: pluginCall.signal,
      });
      const isCharged = reply.type === "read";
      if (!isCharged) return { value: reply, isCharged };
      // No more are read than are asked for, whatever is counted.
      const quantity = Math.min(toCount(reply.pages), most);
      return { value: { ...reply, pages: quantity }, isCharged, cost: ocr.price(quantity), quantity };
    },
  });
  if (read.type === "refused") throw unreadable(part, `Mistral OCR refuses it: ${read.message}`);
  if (read.type === "failed") throw new ApiError("upstream_failed", read.message);
  const goesOn = pages !== undefined && pages > most;
  return {
    text: read.text,
    pages: read.pages,
    cut: goesOn ? `The file goes on: it has ${pages} pages, and these are the first ${most}.` : undefined,
    images: read.images,
  };
}
