/** Where a call goes: the wire's own path below the base URL, or the place where a deployment has it. */

import type { Endpoint } from "./endpoint.ts";

interface CallTarget {
  /** The wire's own. */
  readonly path: string;
  readonly stream: boolean;
  /** Tokens are to be counted, and no answer is made. */
  readonly counts?: boolean;
}

export function endpointUrl(
  { provider, upstreamModel }: Endpoint,
  { path, stream, counts }: CallTarget,
): string {
  const { baseUrl, address } = provider;
  if (address === undefined) return baseUrl + path;
  const own = counts === true ? address.countPath : (stream ? address.streamPath : undefined) ?? address.path;
  const url = baseUrl + (own?.replaceAll("{model}", encodeURIComponent(upstreamModel)) ?? path);
  const query = new URLSearchParams(address.query).toString();
  return query === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${query}`;
}
