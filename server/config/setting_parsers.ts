/** Parsers of single settings: text → value, or what is allowed instead. */

import { isIP, isIPv6 } from "node:net";
import { MAX_KEY_CHARS, MIN_OPERATOR_KEY_CHARS } from "../../shared/keys.ts";
import { httpOrigin } from "../../shared/fields/http_origin.ts";
import type { SettingResult } from "./config_error.ts";

/** Whose word on the client's address is taken: the last `hops` proxies, or those in `ranges` (CIDR). */
export type ProxyTrust =
  | { readonly type: "hops"; readonly hops: number }
  | { readonly type: "ranges"; readonly ranges: readonly string[] };

/** Pages that may call the gateway from a browser. */
export type CorsPolicy =
  | { readonly type: "any" }
  | { readonly type: "list"; readonly origins: readonly string[] }
  | { readonly type: "off" };

const MAX_HOPS = 16;

export function parseText(input: string): SettingResult<string> {
  return { value: input };
}

/** A switch: `on` or `off`. */
export function parseSwitch(input: string): SettingResult<boolean> {
  if (input === "on" || input === "off") return { value: input === "on" };
  return { allowed: "on or off" };
}

const MOST_LIMITS = 1_000;

/** A number of series that name a record each. */
export function parseLimitCount(input: string): SettingResult<number> {
  const value = Number(input);
  if (/^\d{1,4}$/.test(input) && value <= MOST_LIMITS) return { value };
  return { allowed: `a number from 0 to ${MOST_LIMITS}` };
}

/** The words of OpenTelemetry's own switch: those for other conventions than ours are none of our business. */
export function parseSemconvOptIn(input: string): SettingResult<"v1.41" | "latest"> {
  const words = input.split(",").map((word) => word.trim());
  return { value: words.includes("gen_ai_latest_experimental") ? "latest" : "v1.41" };
}

/** One of a few words. */
export function parseOneOf<const T extends string>(words: readonly T[]): (input: string) => SettingResult<T> {
  return (input) => {
    const value = words.find((word) => word === input);
    return value === undefined ? { allowed: formatChoices(words) } : { value };
  };
}

export function parsePort(input: string): SettingResult<number> {
  const value = Number(input);
  if (/^\d{1,5}$/.test(input) && value <= 65_535) return { value };
  return { allowed: "a port from 0 to 65535 (0 takes any free one)" };
}

/** A number of files; where the system knows no limit, as many as nobody reaches. */
export function fileCount(input: string): SettingResult<number> {
  if (input === "unlimited") return { value: 1_048_576 };
  const value = Number(input);
  return /^\d{1,19}$/.test(input) && value > 0 ? { value } : { allowed: "a number of files, or unlimited" };
}

export function parseHostname(input: string): SettingResult<string> {
  const bare = input.replace(/^\[(.*)\]$/, "$1");
  if (isIP(bare) !== 0 || /^[\w.-]+$/.test(bare)) return { value: bare };
  return { allowed: "an address or a host name without a port, such as 127.0.0.1 or 0.0.0.0" };
}

/** A key that the operator has chosen. */
export function parseOperatorKey(input: string): SettingResult<string> {
  if (input.length < MIN_OPERATOR_KEY_CHARS || input.length > MAX_KEY_CHARS) {
    return { allowed: `${MIN_OPERATOR_KEY_CHARS} to ${MAX_KEY_CHARS} characters` };
  }
  if (!/^[\x21-\x7e]+$/.test(input)) return { allowed: "printable ASCII without spaces" };
  return { value: input };
}

/** 32 bytes in base64. */
export function parseMasterKey(input: string): SettingResult<Uint8Array> {
  const allowed = "32 random bytes in base64, 44 characters";
  try {
    const value = Uint8Array.fromBase64(input, { alphabet: input.match(/[-_]/) ? "base64url" : "base64" });
    return value.length === 32 ? { value } : { allowed };
  } catch {
    // Whatever is wrong with it, it must not be quoted.
    return { allowed };
  }
}

export function parseProxyTrust(input: string): SettingResult<ProxyTrust> {
  if (/^\d{1,2}$/.test(input) && Number(input) <= MAX_HOPS) {
    return { value: { type: "hops", hops: Number(input) } };
  }
  const ranges = items(input);
  if (ranges.length > 0 && ranges.every(isRange)) return { value: { type: "ranges", ranges } };
  return {
    allowed: `a number of proxies from 0 to ${MAX_HOPS}, or address ranges such as 10.0.0.0/8,fd00::/8`,
  };
}

export function parseCorsPolicy(input: string): SettingResult<CorsPolicy> {
  if (input === "*") return { value: { type: "any" } };
  if (input === "off") return { value: { type: "off" } };
  const origins = items(input);
  if (origins.length > 0 && origins.every(isOrigin)) return { value: { type: "list", origins } };
  return { allowed: "*, off, or origins such as https://app.example.com,http://localhost:3000" };
}

/** A provider's address. */
export function parseBaseUrl(input: string): SettingResult<string> {
  if (isBaseUrl(input)) return { value: normalizeBaseUrl(input) };
  return { allowed: "an address such as https://host.example.com/v1, without user, query or fragment" };
}

/** An address at which a gateway is reached. */
export function parseOrigin(input: string): SettingResult<string> {
  const value = httpOrigin(input);
  return value === undefined
    ? { allowed: "an address such as http://10.0.0.5:8787, without user, path, query or fragment" }
    : { value };
}

/** True for what `baseUrl` takes. */
export function isBaseUrl(input: string): boolean {
  const url = URL.parse(input);
  if (!url || !["http:", "https:"].includes(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

/** As calls are compared with it: parsed once, without a trailing slash. */
export function normalizeBaseUrl(input: string): string {
  const { origin, pathname } = new URL(input);
  return (origin + pathname).replace(/\/+$/, "");
}

function isOrigin(input: string): boolean {
  return isBaseUrl(input) && URL.parse(input)?.origin === input;
}

function isRange(input: string): boolean {
  const [base = "", bits, ...rest] = input.split("/");
  if (isIP(base) === 0 || rest.length > 0) return false;
  return bits === undefined || /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv6(base) ? 128 : 32);
}

function items(input: string): readonly string[] {
  return input.split(",").map((item) => item.trim()).filter((item) => item !== "");
}

/** `a, b or c` */
function formatChoices(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
