/**
 * Thought signatures. Gemini puts an opaque signature on any part of its answer (a call, a text, an image) and
 * wants it back on that part, else it forgets what it thought, and the newer models refuse the request. Clients
 * send back only what they know, and the place where they know of something opaque is the reasoning item. So a
 * signature travels as a reasoning item right before what it seals: what it seals is the next part of the
 * model's turn, or an empty text where nothing follows, which is how the provider itself sends a late one. On Google's
 * Chat Completions the signature of a call stands beside it, in `extra_content`.
 */

import { isRecord } from "../../../shared/util/json.ts";
import type { JsonObject, ReasoningItem } from "../canonical/item.ts";

export const REASONING_FORMAT = "google-gemini-v1";

/**
 * Some clients keep the encrypted text of a reasoning item but neither its format nor its signature: so it says
 * both.
 */
const PREFIX = `${REASONING_FORMAT}:`;

type SignatureFields = Pick<ReasoningItem, "format" | "signature" | "encrypted">;

/** Fields that a reasoning item keeps of a signature. */
export function signatureFields(signature: string | undefined): SignatureFields {
  if (signature === undefined) return { format: REASONING_FORMAT };
  return { format: REASONING_FORMAT, signature, encrypted: PREFIX + signature };
}

/** The signature in a reasoning item; items of other gateways hold it bare. */
export function readSignature({ format, signature, encrypted }: SignatureFields): string | undefined {
  return sealedSignature({ encrypted }) ??
    (format === REASONING_FORMAT ? signature ?? encrypted : undefined);
}

/** The signature where the item says by itself that it holds one: only its provider is told so. */
export const sealedSignature = ({ encrypted }: SignatureFields): string | undefined =>
  encrypted?.startsWith(PREFIX) ? encrypted.slice(PREFIX.length) : undefined;

/** The signature in `extra_content`, where Google's own Chat Completions has it. */
export function readExtraContent(extra: unknown): string | undefined {
  const google = isRecord(extra) ? extra.google : undefined;
  const signature = isRecord(google) ? google.thought_signature : undefined;
  return typeof signature === "string" && signature !== "" ? signature : undefined;
}

export const renderExtraContent = (signature: string): JsonObject => ({
  extra_content: { google: { thought_signature: signature } },
});

/** Whether a Gemini model made the item. */
export const isGeminiReasoning = (item: SignatureFields): boolean =>
  item.format === REASONING_FORMAT || item.encrypted?.startsWith(PREFIX) === true;

/** Google's own word for a call whose signature is not known, made by another model or stripped by a client. */
export const UNKNOWN_SIGNATURE = "skip_thought_signature_validator";
