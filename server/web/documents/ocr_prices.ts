/** Prices of optical character recognition, in USD a page as decimal strings. */

interface OcrPrice {
  readonly page: string;
  readonly source: string;
  /** When the source was made, YYYY-MM-DD. */
  readonly date: string;
}

/** `ocr_cost_per_page` of LiteLLM (MIT) for the models of Mistral's own API. */
const litellm = { source: "litellm 1.110.2", date: "2026-11-25" } as const;

export const ocrPrices = {
  "mistral-ocr-latest": { page: "0.004", ...litellm },
} as const satisfies Readonly<Record<string, OcrPrice>>;
