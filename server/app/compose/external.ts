/** Asks the services of guardrails, over the guarded fetch. */

import { externalReplySchema } from "../../../shared/external_guardrail.ts";
import { tryParseJson, writeJson } from "../../../shared/util/json.ts";
import type { CompositionParts } from "../composition_parts.ts";
import { createWebFetch } from "./web.ts";
import type { AskExternal } from "../../pipeline/ask_external.ts";
import { CallAbort } from "../../providers/upstream/call_abort.ts";

/** Longest reply of a service: it repeats at most the texts that it was sent. */
export const MOST_BYTES = 4 * 1024 * 1024;

export function createAskExternal(parts: Pick<CompositionParts, "config" | "runtime">): AskExternal {
  const send = createWebFetch(parts);
  const { guardrailHeaders } = parts.config;
  return async ({ guardrail: { url, header_env: name, timeout_ms: timeoutMs }, request, signal }) => {
    const authorization = name === null ? undefined : guardrailHeaders.get(name);
    if (name !== null && authorization === undefined) {
      throw new Error(`The setting fetch.header_env does not name ${name}`);
    }
    const abort = new CallAbort();
    const leave = signal.onFire(() => abort.abort());
    try {
      const headers: Readonly<Record<string, string>> = authorization === undefined ? {} : { authorization };
      const { status, body } = await send({
        url,
        accepts: () => true,
        signal: abort,
        post: { body: writeJson(request), headers },
        timeoutMs,
        maxBytes: MOST_BYTES,
      });
      if (status !== 200) throw new Error(`The service answers with status ${status}`);
      return externalReplySchema.parse(tryParseJson(new TextDecoder().decode(body)));
    } finally {
      leave();
    }
  };
}
