/** Services outside of the gateway that read documents, and texts that were kept. */

import type { CloudflareMarkdown } from "./cloudflare_markdown.ts";
import type { OcrService } from "./mistral_ocr.ts";
import type { KeptTexts } from "./kept_texts.ts";

export interface DocumentServices {
  readonly ocr: OcrService;
  /** Absent where the operator has not set it up. */
  readonly cloudflare?: CloudflareMarkdown;
  /** Absent where no files are kept. */
  readonly kept?: KeptTexts;
}
