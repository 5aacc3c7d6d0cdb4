/** Money that reading by OCR takes, for `POST /v1/route/explain`. */

import { addUsd, ZERO } from "../../../../shared/money.ts";
import type { FilePart } from "../../../protocols/canonical/item.ts";
import { toDataUrl } from "../../../protocols/common/outbound/data_url.ts";
import type { PluginExplained, PluginPurchases } from "../plugin.ts";
import { pagesToPay } from "./buy_ocr.ts";
import { isPdf } from "./document_parts.ts";
import { ocrAccountFor } from "./ocr_account.ts";

/**
 * The most that OCR of the documents costs, where a request names its engine: whether other PDFs are scans is known
 * only when they are read. Undefined where the account of the gateway pays nothing.
 */
export async function ocrPurchases(
  parts: readonly FilePart[],
  { deps: { clock, toolDeps: { web } }, request: { provider }, rules }: Pick<
    PluginExplained,
    "deps" | "request" | "rules"
  >,
): Promise<PluginPurchases | undefined> {
  const ocr = web.documents?.ocr;
  const account = ocrAccountFor(ocr, { rules, provider });
  if (ocr === undefined || account === undefined || account.byok) return undefined;
  let cost = ZERO;
  for (const { data, filename } of parts.filter(isPdf)) {
    // How many pages a document at an address has is known once it is fetched.
    const base64 = data === undefined ? "" : base64Of(toDataUrl(data, filename));
    cost = addUsd(cost, ocr.price((await pagesToPay(base64, clock)).most));
  }
  return cost === ZERO ? undefined : { cost, isOptional: false };
}

const base64Of = (url: string): string => url.slice(url.indexOf(",") + 1);
