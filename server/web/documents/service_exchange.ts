/** One exchange with a service that reads documents: bounded in time and size, and told in words where it fails. */

import { tryParseJson } from "../../../shared/util/json.ts";
import type { Clock, Logger } from "../../runtime.ts";
import type { Transport, UpstreamRequest } from "../../providers/upstream/transport.ts";

export interface ServiceDeps {
  readonly transport: Transport;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Logger, "warn">;
}

type ServiceAnswer =
  | { readonly type: "answer"; readonly status: number; readonly json: unknown }
  /** `message` is one sentence. */
  | { readonly type: "failed"; readonly message: string };

const TIMEOUT_MS = 120_000;
/** Texts of 200 pages, and eight pictures as base64. */
const ANSWER_BYTES = 64 * 1024 * 1024;

interface ServiceCall extends Omit<UpstreamRequest, "signal"> {
  /** Its name, for messages. */
  readonly service: string;
  readonly signal: AbortSignal;
}

/** Rejects with the signal's reason only. */
export async function exchange(
  { transport, clock, log }: ServiceDeps,
  { service, signal, ...request }: ServiceCall,
): Promise<ServiceAnswer> {
  signal.throwIfAborted();
  const abort = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => abort.abort(new Error("The service takes too long")));
  const leave = () => abort.abort(signal.reason);
  signal.addEventListener("abort", leave);
  try {
    const response = await transport({ ...request, signal: abort.signal });
    const { status } = response;
    return { type: "answer", status, json: tryParseJson(await response.text(ANSWER_BYTES)) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    log.warn("Document service failed", { service, error: String(error) });
    const why = abort.signal.aborted
      ? `it did not answer within ${TIMEOUT_MS / 1_000} s`
      : "it cannot be reached, or its answer broke off";
    return { type: "failed", message: `${service} failed: ${why}.` };
  } finally {
    cancel();
    signal.removeEventListener("abort", leave);
  }
}
