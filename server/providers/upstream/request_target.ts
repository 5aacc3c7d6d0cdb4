/** Where a call goes: its URL, which must lie below the provider's base URL. */

import { TransportError, type UpstreamRequest } from "./transport.ts";

export interface RequestTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly secure: boolean;
  /** A name or an address, the latter without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** As the `host` header has it. */
  readonly host: string;
  /** With the query. */
  readonly path: string;
}

type Address = Pick<UpstreamRequest, "url" | "baseUrl">;

/**
 * Throws a TypeError for what is no `http:` or `https:` URL, and `bad_address` for one whose path is another one once
 * it is parsed, or that is not below the base URL: the credential belongs to the paths below that and to no others.
 */
export function targetOf({ url: text, baseUrl }: Address): RequestTarget {
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`Cannot call a provider by ${url.protocol}`);
  const rest = text.startsWith(baseUrl) ? text.slice(baseUrl.length) : undefined;
  if (rest === undefined || !/^(?:$|[/?])/.test(rest)) throw badAddress("it is not below the base URL");
  if (text.includes("#")) throw badAddress("it has a fragment");
  if (url.pathname !== (pathIn(text) || "/")) throw badAddress("its path changes when it is parsed");
  const secure = url.protocol === "https:";
  return {
    origin: url.origin,
    secure,
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (secure ? 443 : 80)),
    host: url.host,
    path: url.pathname + url.search,
  };
}

/** Reads the path between the authority and the query. */
const pathIn = (text: string): string => /^https?:\/\/[^/?#\\]*([^?]*)/i.exec(text)?.[1] ?? "";

const badAddress = (why: string) =>
  new TransportError("bad_address", `Cannot call this address of the provider: ${why}`);

/** Addresses that are remembered; beyond that all are worked out anew. */
const MAX_KNOWN = 1_000;

interface Known {
  readonly baseUrl: string;
  readonly target: RequestTarget;
}

/** Works an address out once: a provider has few of them and uses them over and over. */
export class Targets {
  readonly #known = new Map<string, Known>();

  /** Throws as {@link targetOf} does. */
  of({ url, baseUrl }: Address): RequestTarget {
    const known = this.#known.get(url);
    if (known?.baseUrl === baseUrl) return known.target;
    const target = targetOf({ url, baseUrl });
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(url, { baseUrl, target });
    return target;
  }
}
