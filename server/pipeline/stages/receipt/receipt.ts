/** Receipt: what a request met on its way, written down once, whatever ends it (promises M5, M7). */

import { ApiError } from "../../../../shared/errors.ts";
import type { Caller } from "../../../../shared/keys.ts";
import type { Receipt } from "../../../../shared/receipts.ts";
import type { Failure, FailureEvent, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { BillingContext, Ledger, LedgerTransaction } from "../../../billing/ledger/core/ledger.ts";
import type { ModelResponse, RequestContext, Stage } from "../../request_context.ts";
import type { RequestTrace } from "../../request_trace.ts";
import { mapPulled, type PullResult } from "../../../protocols/stream/source.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import { buildReceipt, type RequestEnd } from "./build_receipt.ts";
import { TaskSampler } from "./task_sampler.ts";

export interface Tracing {
  /** Begins the trace of a request that has just come. Throws nothing. */
  begin(context: RequestContext): RequestTrace;
}

export interface ReceiptStageDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly ledger: Pick<Ledger, "openTransaction">;
  /** As it is now, at once for a key that is in use. Fails with an ApiError once the key may not be used any more. */
  readonly billingOf: (caller: Caller) => BillingContext | Promise<BillingContext>;
  /** Makes spans of requests; absent where traces are off. */
  readonly tracing?: Tracing;
  /** Finds the tags that rules put on a receipt; at once, but after a change of the rules. Never fails. */
  readonly tagsOf: (receipt: Receipt) => readonly string[] | Promise<readonly string[]>;
  /** Lets an operator end the calls of a key. */
  readonly openCalls: { add(keyHash: string, end: () => void): () => void };
}

/** Opens the request's transaction; closes it with its receipt before the last word of the answer leaves. */
export function receipt(deps: ReceiptStageDeps): Stage {
  const opening: OpenRequestDeps = { ...deps, tasks: new TaskSampler(deps) };
  return (next) => async (received) => {
    const { tracing } = deps;
    const context = tracing === undefined ? received : { ...received, trace: tracing.begin(received) };
    const requested = deps.billingOf(context.caller);
    const opened = openRequest(opening, {
      context,
      billing: requested instanceof Promise ? await requested : requested,
    });
    try {
      const response = await next(opened.context);
      opened.begunAt = deps.clock.monotonic();
      return closeAfter(opened, response);
    } catch (error) {
      const written = writeReceipt(opened, { type: "refused", error });
      // Where the ledger cannot write, its API error does not wait for it: admission fails closed at once.
      if (!(error instanceof ApiError) || error.kind !== "unavailable") await written;
      throw error;
    }
  };
}

interface OpenRequestDeps extends ReceiptStageDeps {
  readonly tasks: TaskSampler;
}

/** A request whose transaction is open. */
interface OpenRequest {
  readonly deps: OpenRequestDeps;
  readonly context: RequestContext;
  readonly transaction: LedgerTransaction;
  /** Ms since the epoch. */
  readonly at: number;
  /** Monotonic ms; undefined while nothing of the answer is there. */
  begunAt: number | undefined;
  /** The answer has calls that the client is to answer. */
  callsClient: boolean;
  /** No operator ends it any more. */
  readonly forget: () => void;
}

interface BilledContext {
  readonly context: RequestContext;
  readonly billing: BillingContext;
}

function openRequest(deps: OpenRequestDeps, { context, billing }: BilledContext): OpenRequest {
  const { caller, ids, clientDisconnect, record, request, origin } = context;
  const at = deps.clock.now();
  const end = (failure: Failure) => {
    record.abort(failure);
  };
  const transaction = deps.ledger.openTransaction({
    id: ids.generation,
    requestId: ids.request,
    billing,
    currentBilling: () => deps.billingOf(caller),
    keyHash: caller.keyHash,
    workspaceId: caller.workspaceId,
    managementKeyHash: caller.kind === "api" ? caller.managementKeyHash : undefined,
    at,
    api: origin?.api,
    streamed: request.stream,
    requestedModel: request.model ?? request.models[0] ?? null,
    router: () => record.router,
    preset: context.preset,
    onAbort: (message) => end({ kind: "unavailable", message }),
    isDisconnected: () => clientDisconnect.fired,
  });
  const forget = deps.openCalls.add(caller.keyHash, () => end(disabled));
  const verify = () => {
    const current = deps.billingOf(caller);
    return current instanceof Promise ? current.then(() => {}) : undefined;
  };
  const opened = { ...context, billing, transaction, verify };
  return { deps, context: opened, transaction, at, begunAt: undefined, callsClient: false, forget };
}

const disabled: Failure = {
  kind: "forbidden",
  message: "The key was disabled while the request was running.",
};

/** The answer, whose last event waits for the commit. */
function closeAfter(opened: OpenRequest, { endpoint, source }: ModelResponse): ModelResponse {
  let over = false;
  const see = (batch: readonly OutputEvent[] | undefined): PullResult<OutputEvent> => {
    const last = batch?.at(-1);
    opened.callsClient ||= batch?.some(isClientCall) === true;
    if (over || (batch !== undefined && last?.type !== "finish" && last?.type !== "failure")) return batch;
    over = true;
    return lastBatch(opened, batch);
  };
  // Behind the last word there is nothing.
  const pull = () => over ? undefined : mapPulled(source.pull(), see);
  const cancel = (reason: string) => {
    source.cancel(reason);
    if (over) return;
    over = true;
    // The client is gone: nobody waits, and what goes wrong is logged.
    writeReceipt(opened, { type: "cancelled" });
  };
  return { endpoint, source: { pull, cancel } };
}

/** Whether the client is to answer a call: of a function of its own, or of a server tool that it runs. */
function isClientCall(event: OutputEvent): boolean {
  if (event.type !== "item" && event.type !== "item_done") return false;
  const { item } = event;
  return item?.type === "call" || item?.type === "foreign" && item.call?.forClient === true;
}

/** The last batch of an answer, once its receipt is written; undefined for one without a last word. */
function lastBatch(
  opened: OpenRequest,
  batch: readonly OutputEvent[] | undefined,
): Promise<readonly OutputEvent[] | undefined> {
  const last = batch?.at(-1);
  const ending: RequestEnd = last?.type === "finish" || last?.type === "failure" ? last : { type: "cut" };
  return writeReceipt(opened, ending).then((unwritten) => {
    if (batch === undefined) return batch;
    const failed = last?.type === "failure" ? last : unwritten && receiptFailure(unwritten, last);
    if (failed === undefined) return batch;
    const { keepsOutput } = opened.context.record;
    return [...batch.slice(0, -1), keepsOutput ? { ...failed, partial: true } : failed];
  });
}

/** The end of an answer that is over and whose receipt cannot be written: what was sent stands (promises M5). */
const receiptFailure = (
  { kind, message, details }: ApiError,
  last: OutputEvent | undefined,
): FailureEvent => ({
  type: "failure",
  failure: { kind, message, retryAfter: details.retryAfter },
  ...(last?.type === "finish" ? { usage: last.usage } : {}),
});

/** Writes the receipt. Gives the API error instead of throwing it. */
async function writeReceipt(opened: OpenRequest, ending: RequestEnd): Promise<ApiError | undefined> {
  const { deps, context, transaction, at, begunAt, callsClient, forget } = opened;
  const { clock, log, tasks } = deps;
  forget();
  // Tokens of a call that was cut may have to be counted first.
  if (context.record.settling !== undefined) await context.record.settling;
  const made = buildReceipt({
    context,
    transaction,
    at,
    begunAt,
    callsClient,
    ending,
    now: clock.now(),
    monotonic: clock.monotonic(),
    taskOf: (request) => tasks.taskOf(request),
  });
  const found = deps.tagsOf(made);
  const tags = found instanceof Promise ? await found : found;
  if (tags.length > 0) made.tags = [...tags];
  logRequest(opened, { ending, receipt: made });
  context.trace?.end(made, clock.monotonic());
  try {
    const written = transaction.close(made);
    context.record.receiptId = transaction.receiptId;
    await written;
    return undefined;
  } catch (error) {
    log.error("Cannot write receipt", { generation: made.id, error: String(error) });
    if (error instanceof ApiError) return error;
    return new ApiError("unavailable", "The receipt of this request could not be written.", { cause: error });
  }
}

interface LogInput {
  readonly ending: RequestEnd;
  readonly receipt: Receipt;
}

function logRequest({ deps: { log }, context }: OpenRequest, { ending, receipt }: LogInput): void {
  const last = context.record.attempts.at(-1);
  log.debug("Request ended", {
    generation: receipt.id,
    ending: ending.type,
    model: last?.endpoint.model.id,
    provider: last?.endpoint.provider.id,
    attempts: context.record.attempts.length,
    ms: Math.round(receipt.total_ms),
  });
}
