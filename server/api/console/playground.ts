/** Model calls of the console's playground: ordinary requests, made by the key that the session runs it with. */

import type { Caller } from "../../../shared/keys.ts";
import * as z from "zod";
import { ApiError } from "../../../shared/errors.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { PlaygroundRun } from "../../management/system_keys/playground_operations.ts";
import { throwStoreUnavailable } from "../../management/core/store_errors.ts";
import type { HttpExchange } from "../http_exchange.ts";
import { parseRequestUrl } from "../request_checks.ts";

export interface PlaygroundDeps {
  /** The caller of a run. Throws an ApiError for who may not run anything. */
  readonly playgroundCaller: (run: PlaygroundRun) => Promise<Caller>;
}

/** Makes the playground's key the caller of an exchange that a session was let in for. Throws an ApiError. */
export async function enterPlayground(deps: PlaygroundDeps, exchange: HttpExchange): Promise<void> {
  const { session } = exchange;
  if (session === undefined) throw new Error("Cannot run playground: the exchange has no session");
  const caller = await deps.playgroundCaller({
    caller: session.caller,
    workspaceId: workspaceOf(exchange),
    requestId: `req_${exchange.id}`,
  }).catch(throwStoreUnavailable);
  exchange.session = { ...session, caller };
}

function workspaceOf({ request }: HttpExchange): string | undefined {
  const named = parseRequestUrl(request.url).searchParams.get("workspace_id") || undefined;
  if (named === undefined || z.uuid().safeParse(named).success) return named?.toLowerCase();
  const message = `Cannot run playground: workspace_id is ${
    formatValue(named)
  }; allowed is a workspace's UUID`;
  throw new ApiError("invalid_request", message, { metadata: { path: "workspace_id" } });
}
