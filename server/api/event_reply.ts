/** Events as they happen, as a reply: server-sent ones, for as long as the client reads and its credential holds. */

import type { EventFeed } from "../../shared/management/operation.ts";
import { StreamedReply } from "../http/http_server/reply.ts";
import type { Cancel, Runtime } from "../runtime.ts";
import { type AuthenticateDeps, holdsCredential } from "./authenticate.ts";
import type { HttpExchange } from "./http_exchange.ts";
import { sseBody, type SseLimits } from "./inference/sse_body.ts";

interface EventReplyDeps extends AuthenticateDeps {
  readonly runtime: Pick<Runtime, "clock" | "log">;
  readonly limits: SseLimits;
}

interface EventReplyInput {
  readonly exchange: HttpExchange;
  readonly feed: EventFeed;
}

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // Proxies such as nginx would wait for more.
  "x-accel-buffering": "no",
} as const;

export function eventReply(deps: EventReplyDeps, { exchange, feed }: EventReplyInput): StreamedReply {
  const { runtime: { clock }, limits } = deps;
  const unwatch = watchCredential(deps, { exchange, feed });
  const end = () => {
    unwatch();
    feed.close();
  };
  const next = async () => {
    const events = await feed.next();
    if (events === undefined) unwatch();
    return events?.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`).join("");
  };
  const body = sseBody({ clock, limits, next, startWithComment: true, onDisconnect: end });
  return new StreamedReply(body, { headers });
}

/** Ends the feed of who is not let in any more, a comment's interval later at most. */
function watchCredential(deps: EventReplyDeps, { exchange, feed }: EventReplyInput): Cancel {
  const { runtime: { clock, log }, limits } = deps;
  let isOver = false;
  let cancel: Cancel = () => {};
  const look = async () => {
    const holds = await (exchange.session?.holds() ?? holdsCredential(deps, exchange)).catch((error) => {
      // The store does not answer: nothing has been taken from anybody.
      log.warn("Cannot look up the credential of an open stream", { error: String(error) });
      return true;
    });
    if (isOver) return;
    if (holds) arm();
    else feed.close();
  };
  const arm = () => {
    cancel = clock.after(limits.heartbeatMs, () => void look());
  };
  arm();
  return () => {
    isOver = true;
    cancel();
  };
}
