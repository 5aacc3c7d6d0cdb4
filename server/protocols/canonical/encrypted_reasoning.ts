/**
 * Reasoning inside of `encrypted_content`. Many clients bring back nothing of a reasoning item but that field: so
 * it carries all that the provider wants back, behind a mark that names the provider
 * (`pipeline/routing/encrypted_reasoning.ts`). It is not encrypted, because clients may see everything in it; they pass it
 * on because they cannot know that.
 */

import * as z from "zod";
import type { ReasoningItem, ReasoningOrigin } from "./item.ts";

/** Fields of reasoning that a provider wants back, byte for byte. */
type ReasoningContent = Pick<
  ReasoningItem,
  "content" | "summary" | "signature" | "encrypted" | "format"
>;

const text = z.string().optional();
const texts = z.array(z.string()).default([]);
const contentSchema = z.object({
  thoughts: texts,
  summary: texts,
  signature: text,
  encrypted: text,
  format: text,
})
  .transform(({ thoughts, ...rest }): ReasoningContent => ({ content: thoughts, ...rest }));

/** `encrypted_content` without content of its own (`tg1`) and with it (`tg2`) begins like this. */
export const originMark = (version: 1 | 2, { wire, provider }: Pick<ReasoningOrigin, "wire" | "provider">) =>
  `tg${version}.${wire}.${provider}.`;

/** Undefined where the provider wants nothing back, or nothing that is there. */
export function encodeReasoning(origin: ReasoningOrigin, item: ReasoningContent): string | undefined {
  const { content, summary, signature, encrypted, format } = item;
  if (origin.replays === "never") return undefined;
  const sealed = signature !== undefined || encrypted !== undefined;
  if (!sealed && (origin.replays === "signed" || content.length + summary.length === 0)) return undefined;
  const json = JSON.stringify({
    ...(content.length === 0 ? {} : { thoughts: content }),
    ...(summary.length === 0 ? {} : { summary }),
    signature,
    encrypted: encrypted === undefined ? undefined : withoutMark(encrypted, origin),
    format,
  });
  const bytes = new TextEncoder().encode(json);
  return originMark(2, origin) + bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Longer marks are none. */
const MARK_CHARS = 64;

/** Reads an `encrypted_content` that the gateway has made (`tg2`); undefined for one that only its maker can read. */
export function readMarkedReasoning(encrypted: string): ReasoningContent | undefined {
  if (!encrypted.startsWith("tg2.")) return undefined;
  const mark = /^tg2\.[a-z0-9_]+\.[a-z0-9]+\./.exec(encrypted.slice(0, MARK_CHARS));
  return mark === null ? undefined : decodeReasoning(encrypted.slice(mark[0].length));
}

function withoutMark(encrypted: string, origin: ReasoningOrigin): string {
  const mark = originMark(1, origin);
  return encrypted.startsWith(mark) ? encrypted.slice(mark.length) : encrypted;
}

/** Decodes the text behind the mark; undefined where a client or a proxy has changed it. */
export function decodeReasoning(encoded: string): ReasoningContent | undefined {
  try {
    const bytes = Uint8Array.fromBase64(encoded, { alphabet: "base64url" });
    const json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return contentSchema.safeParse(JSON.parse(json)).data;
  } catch (error) {
    // Not base64, not UTF-8 or not JSON.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
