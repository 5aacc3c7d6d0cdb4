/** Contents and parts of generateContent as we send them. */

import type { Json } from "../../../canonical/item.ts";

export interface Blob {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A part holds one thing; `thoughtSignature` may stand beside any. */
export interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly inlineData?: Blob;
  readonly fileData?: { readonly mimeType?: string; readonly fileUri: string };
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: Json };
  readonly functionResponse?: {
    readonly id: string;
    readonly name: string;
    readonly response: Json;
    readonly parts?: readonly { readonly inlineData: Blob }[];
  };
}

export interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly Part[];
}
