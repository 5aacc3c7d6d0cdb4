/** Anthropic's client, unmodified but for the address and the key. */

import Anthropic from "@anthropic-ai/sdk";
import type { Rig } from "./targets.ts";

/** It sends the key as `x-api-key`. */
export function anthropicOf({ gateway }: Pick<Rig, "gateway">, apiKey = gateway.apiKey): Anthropic {
  return new Anthropic({ baseURL: `${gateway.url}/api`, apiKey, maxRetries: 0 });
}

/** All text of a message. */
export const textOf = ({ content }: Pick<Anthropic.Message, "content">): string =>
  content.flatMap((block) => block.type === "text" ? [block.text] : []).join("");
