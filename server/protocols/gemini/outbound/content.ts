/** Contents and parts of generateContent as we send them. */

import type { JsonObject } from "../../../canonical/item.ts";

export interface InlineData {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A part holds one thing; `thoughtSignature` may stand beside any. */
export interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly inlineData?: InlineData;
  readonly fileData?: { readonly mimeType?: string; readonly fileUri: string };
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: JsonObject };
  readonly functionResponse?: {
    readonly id: string;
    readonly name: string;
    readonly response: JsonObject;
    readonly parts?: readonly { readonly inlineData: InlineData }[];
  };
}

export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: readonly GeminiPart[];
}
