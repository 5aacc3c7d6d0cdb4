/** Where a guarded fetch may go, by its URL alone: scheme, port, user and name. Addresses are checked afterwards. */

import { isIPv4, isIPv6 } from "node:net";
import { FetchError } from "./fetch_error.ts";
import { isPublicAddress } from "./public_address.ts";

export interface FetchPolicy {
  /** Plain `http:` is allowed as well. */
  readonly allowHttp: boolean;
  /**
   * `host` or `host:port`, in small letters: callers reach these hosts by either scheme, whatever their addresses.
   * Without a port the scheme's own.
   */
  readonly allowedHosts: readonly string[];
}

export interface FetchTarget {
  readonly url: URL;
  readonly secure: boolean;
  /** A name or an address, the latter without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The operator has named the host: its addresses are not checked. */
  readonly trusted: boolean;
}

/** Names of private networks and of the metadata services of clouds. */
const privateSuffixes = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "in-addr.arpa",
  "ip6.arpa",
  "onion",
  "metadata.goog",
] as const;

/** Also false for a name without a dot, which only a private network resolves. */
function isPublicName(name: string): boolean {
  return name.includes(".") &&
    !privateSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

/**
 * Whether a page that somebody else names may be told at all: it holds no user or password, and stands on the public
 * Internet or on a host of the operator's.
 */
export function isTellable(text: string, { allowedHosts }: Pick<FetchPolicy, "allowedHosts">): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  const target = plainTarget(url);
  return isAllowedHost(target, { allowedHosts }) || isPublicHost(target.hostname);
}

/** Whether a URL leads to the public Internet by its name, and not to a host of the operator's. */
export function isPublicUrl(text: string, policy: FetchPolicy): boolean {
  try {
    return !fetchTarget(text, policy).trusted;
  } catch (error) {
    if (error instanceof FetchError) return false;
    throw error;
  }
}

export const isAddress = (hostname: string): boolean => isIPv4(hostname) || isIPv6(hostname);

/** Throws a FetchError for a URL that may not be fetched, whatever its name resolves to. */
export function fetchTarget(text: string | URL, policy: FetchPolicy): FetchTarget {
  const url = URL.parse(text);
  if (url === null) throw new FetchError("invalid_url", "This is no URL.");
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new FetchError("invalid_url", `URLs of the scheme ${url.protocol.slice(0, 40)} cannot be fetched.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new FetchError("invalid_url", "URLs with a user or a password cannot be fetched.");
  }
  const target = plainTarget(url);
  if (isAllowedHost(target, policy)) return { ...target, trusted: true };
  checkPublic(target, policy);
  return { ...target, trusted: false };
}

type PlainTarget = Omit<FetchTarget, "trusted">;

function plainTarget(url: URL): PlainTarget {
  const secure = url.protocol === "https:";
  // A dot at the end makes a name absolute and no other one.
  const hostname = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return { url, secure, hostname, port: Number(url.port || (secure ? 443 : 80)) };
}

const isPublicHost = (hostname: string): boolean =>
  isAddress(hostname) ? isPublicAddress(hostname) : isPublicName(hostname);

function isAllowedHost(
  { url, hostname, port }: PlainTarget,
  { allowedHosts }: Pick<FetchPolicy, "allowedHosts">,
): boolean {
  const host = isIPv6(hostname) ? `[${hostname}]` : hostname;
  return allowedHosts.includes(`${host}:${port}`) || (url.port === "" && allowedHosts.includes(host));
}

function checkPublic({ url, secure, hostname }: PlainTarget, { allowHttp }: FetchPolicy): void {
  if (!secure && !allowHttp) {
    throw new FetchError("invalid_url", "Only https URLs can be fetched.");
  }
  if (url.port !== "") {
    const port = secure ? 443 : 80;
    throw new FetchError(
      "invalid_url",
      `Only port ${port} can be reached by ${url.protocol.slice(0, -1)} URLs.`,
    );
  }
  if (!isPublicHost(hostname)) throw forbiddenHost(hostname);
}

/** Throws a FetchError for an address that a caller's own rules do not allow; absent rules allow each. */
export function checkAllowed({ url, hostname }: FetchTarget, allows?: (url: URL) => boolean): void {
  if (allows?.(url) === false) {
    throw new FetchError("forbidden_host", `The request does not allow ${hostname}.`);
  }
}

/** Says no more than the URL did. */
export const forbiddenHost = (hostname: string) =>
  new FetchError("forbidden_host", `${hostname.slice(0, 253)} is not on the public Internet.`);
