/** Tells caches on the way to keep nothing. */

import type { HttpReply } from "../http/http_server/reply.ts";

/** Replies to keys are for those who hold them. One that says something of its own, as streams do, is left so. */
export function keepOutOfCaches(reply: HttpReply): void {
  // One that is there as a whole says so already.
  if (!(reply instanceof Response) || reply.headers.has("cache-control")) return;
  if (reply.headers.get("content-type")?.startsWith("application/json")) {
    reply.headers.set("cache-control", "no-store");
  }
}
