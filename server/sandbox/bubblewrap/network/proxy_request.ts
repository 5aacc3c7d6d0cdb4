/** A request to the proxy of a container: what a program in it asks for. Foreign bytes. */

import { HeadScanner, parseRequestHead } from "../../../http/http_server/request_head.ts";
import { RequestRefused } from "../../allowed_requests.ts";
import type { BoxConnection } from "./box_connection.ts";

interface ProxyRequest {
  /** A tunnel is for a program that speaks TLS itself; a page is fetched for it. */
  readonly type: "tunnel" | "page";
  /** Not checked yet. */
  readonly url: string;
  /** Only whether there is such a page, and what of. */
  readonly isHead: boolean;
  /** Came behind the request: the beginning of what goes through a tunnel. */
  readonly rest: Uint8Array;
}

/** Undefined where the program leaves before it has asked. Throws a ProtocolError, or RequestRefused. */
export async function readProxyRequest(connection: BoxConnection): Promise<ProxyRequest | undefined> {
  const scanner = new HeadScanner();
  let bytes = new Uint8Array(0);
  for (let part = await connection.read(); part !== undefined; part = await connection.read()) {
    bytes = Buffer.concat([bytes, part]);
    const length = scanner.find(bytes);
    if (length !== undefined) {
      const head = bytes.subarray(scanner.blank, length);
      return { ...understand(head), rest: bytes.subarray(length) };
    }
  }
  return undefined;
}

function understand(head: Uint8Array): Omit<ProxyRequest, "rest"> {
  const { method, url, length } = parseRequestHead(head, { tunnels: true });
  if (method === "CONNECT") return { type: "tunnel", url, isHead: false };
  if (method !== "GET" && method !== "HEAD") {
    throw new RequestRefused(`Only GET and HEAD are allowed without TLS, not ${method.slice(0, 20)}.`);
  }
  if (length !== 0) throw new RequestRefused(`A ${method} with a body is not allowed.`);
  return { type: "page", url, isHead: method === "HEAD" };
}
