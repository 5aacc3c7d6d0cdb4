/**
 * Response cache, outermost: what was collected of a response is kept once its last word leaves, with its receipt
 * written; a response that ended otherwise is not.
 */

import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import { mapPulled } from "../../../protocols/stream/source.ts";
import type { CacheUse } from "../../response_cache/cache_use.ts";
import type { Handler, ModelResponse, RequestContext, Stage } from "../../request_context.ts";

export const keepResponse: Stage = (next) => (context) =>
  context.cacheUse === undefined ? next(context) : watched(context.cacheUse, { next, context });

interface Watched {
  readonly next: Handler;
  readonly context: RequestContext;
}

async function watched(use: CacheUse, { next, context }: Watched): Promise<ModelResponse> {
  try {
    return watchEnd(use, await next(context));
  } catch (error) {
    use.discard();
    throw error;
  }
}

function watchEnd(use: CacheUse, { endpoint, source }: ModelResponse): ModelResponse {
  const see = (batch: readonly OutputEvent[] | undefined) => {
    const last = batch?.at(-1);
    if (last?.type === "finish" && last.reason === "stop") use.keep();
    else if (batch === undefined || last?.type === "finish" || last?.type === "failure") use.discard();
    return batch;
  };
  const cancel = (reason: string) => {
    use.discard();
    source.cancel(reason);
  };
  return { endpoint, source: { pull: () => mapPulled(source.pull(), see), cancel } };
}
