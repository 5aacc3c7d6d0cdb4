/** Reads a provider's error text; several wires share it. */

import { truncateStart } from "../../../../shared/util/text.ts";
import { tryParseJson } from "../../../../shared/util/json.ts";
import type { AccountError } from "../../canonical/event.ts";

const MESSAGE_CHARS = 300;

/** Our account at the provider is not the caller's business, and its messages quote keys: they are not passed on. */
export const accountErrorMessages: Readonly<Record<AccountError, string>> = {
  credentials: "The provider did not accept the credentials.",
  funds: "The gateway's account at the provider has insufficient funds.",
  access: "The provider denied the gateway access to the model.",
};

/** Text that is not JSON stands for itself: a proxy's page, a server's plain words. */
export function parseJsonOrText(body: string): unknown {
  const value = tryParseJson(body);
  return value === undefined ? body : value;
}

/** Returns the title of a page; all of any other text. */
export function htmlTitleOrText(body: string): string {
  if (!/^\s*</.test(body)) return body;
  return /<title[^<>]*>([^<]*)<\/title>/i.exec(body)?.[1] ?? "";
}

/** On one line and not too long; undefined when nothing is left. */
export function cleanErrorText(message = ""): string | undefined {
  const line = message.replace(/\s+/g, " ").trim();
  return line === "" ? undefined : truncateStart(line, MESSAGE_CHARS);
}
