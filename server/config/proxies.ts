/** Proxies on the way out, as other programs know them too: HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */

import type { SettingResult } from "./config_error.ts";

export interface ProxyAddress {
  readonly hostname: string;
  readonly port: number;
  /** The `proxy-authorization` header. */
  readonly authorization?: string;
  /** Without credentials: for errors and logs. */
  readonly display: string;
}

export interface ProxySettings {
  /** For `https:` addresses. */
  readonly https?: ProxyAddress;
  /** For `http:` addresses. */
  readonly http?: ProxyAddress;
  /** Hosts that are reached without a proxy. */
  readonly exempt: readonly string[];
}

const allowed = "an http:// address such as http://user:password@proxy.example:3128";

/** An address without a scheme is an `http:` one. */
export function parseProxy(input: string): SettingResult<ProxyAddress> {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(input) ? input : `http://${input}`);
  if (
    url === null || url.protocol !== "http:" || url.pathname !== "/" || url.search !== "" || url.hash !== ""
  ) {
    return { allowed };
  }
  const authorization = proxyAuthorization(url);
  if (authorization === undefined) return { allowed };
  return {
    value: {
      hostname: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port || 80),
      authorization: authorization === "" ? undefined : authorization,
      display: `http://${url.host}`,
    },
  };
}

/** Empty without credentials; undefined where they are not well encoded. */
function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return "";
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
  } catch (_error) {
    // A percent sign that encodes nothing.
    return undefined;
  }
}

/** Names, addresses, address ranges and `*`, by commas or blanks. */
export function parseNoProxy(input: string): SettingResult<readonly string[]> {
  return { value: input.toLowerCase().split(/[\s,]+/).filter((entry) => entry !== "") };
}
