/** Receipt: what a request met on its way, written down once, whatever ends it (promises M5, M7). */

import { Refusal } from "../../../shared/errors.ts";
import type { Caller } from "../../../shared/keys.ts";
import type { Receipt } from "../../../shared/receipts.ts";
import type { AnswerEvent, Failure, FailureEvent } from "../../canonical/event.ts";
import type { Ledger, Payer, Tab } from "../../ledger/core/ledger.ts";
import type { Answer, Stage, Turn } from "../../pipeline/request_context.ts";
import { type Pulled, seen } from "../../stream/source.ts";
import type { Clock, Log } from "../../runtime.ts";
import { type Ending, receiptOf } from "./build_receipt.ts";

export interface ReceiptDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly ledger: Pick<Ledger, "open">;
  /** At once for a key that is in use. */
  readonly payerOf: (caller: Caller) => Payer | Promise<Payer>;
  /** Looks for changes by other instances, where the store does not announce them. */
  readonly fresh?: () => void | Promise<void>;
  /** Lets an operator end the calls of a key. */
  readonly openCalls: { add(keyHash: string, end: () => void): () => void };
}

/** Opens the request's tab; closes it with its receipt before the last word of the answer leaves. */
export function receipt(deps: ReceiptDeps): Stage {
  return (next) => async (turn) => {
    const asked = deps.payerOf(turn.caller);
    const opened = open(deps, { turn, payer: asked instanceof Promise ? await asked : asked });
    try {
      const answer = await next(opened.turn);
      opened.begunAt = deps.clock.monotonic();
      return closing(opened, answer);
    } catch (error) {
      const written = closed(opened, { type: "refused", error });
      // Where the ledger cannot write, its refusal does not wait for it: admission fails closed at once.
      if (!(error instanceof Refusal) || error.kind !== "unavailable") await written;
      throw error;
    }
  };
}

/** A request whose tab is open. */
interface Opened {
  readonly deps: ReceiptDeps;
  readonly turn: Turn;
  readonly tab: Tab;
  /** Ms since the epoch. */
  readonly at: number;
  /** Monotonic ms; undefined while nothing of the answer is there. */
  begunAt: number | undefined;
  /** No operator ends it any more. */
  readonly forget: () => void;
}

interface Paid {
  readonly turn: Turn;
  readonly payer: Payer;
}

function open(deps: ReceiptDeps, { turn, payer }: Paid): Opened {
  const { caller, ids, hangup, notes, request, origin } = turn;
  const at = deps.clock.now();
  const end = (failure: Failure) => {
    notes.ended = failure;
    notes.cut?.(failure);
  };
  const tab = deps.ledger.open({
    id: ids.generation,
    requestId: ids.request,
    payer,
    currentPayer: () => {
      const looking = deps.fresh?.();
      return looking instanceof Promise ? looking.then(() => deps.payerOf(caller)) : deps.payerOf(caller);
    },
    keyHash: caller.keyHash,
    workspaceId: caller.workspaceId,
    at,
    api: origin?.api,
    streamed: request.stream,
    requestedModel: request.model ?? request.models[0] ?? null,
    onAbort: (message) => end({ kind: "unavailable", message }),
    gone: () => hangup.gone,
  });
  const forget = deps.openCalls.add(caller.keyHash, () => end(disabled));
  return { deps, turn: { ...turn, payer, tab }, tab, at, begunAt: undefined, forget };
}

const disabled: Failure = {
  kind: "forbidden",
  message: "The key was disabled while the request was running.",
};

/** The answer, whose last event waits for the commit. */
function closing(opened: Opened, { endpoint, source }: Answer): Answer {
  let over = false;
  let coming: readonly AnswerEvent[] | undefined;
  const see = (batch: readonly AnswerEvent[] | undefined): Pulled<AnswerEvent> => {
    const last = batch?.at(-1);
    if (over || (batch !== undefined && last?.type !== "finish" && last?.type !== "failure")) return batch;
    over = true;
    coming = batch;
    return ended(opened, batch);
  };
  // Behind the last word there is nothing.
  const pull = () => over ? undefined : seen(source.pull(), see);
  const cancel = (reason: string) => {
    source.cancel(reason);
    if (over) return;
    over = true;
    // The client is gone: nobody waits, and what goes wrong is logged.
    closed(opened, { type: "cancelled" });
  };
  return { endpoint, source: { pull, cancel }, coming: () => coming };
}

/** The last batch of an answer, once its receipt is written; undefined for one without a last word. */
function ended(
  opened: Opened,
  batch: readonly AnswerEvent[] | undefined,
): Promise<readonly AnswerEvent[] | undefined> {
  const last = batch?.at(-1);
  const ending: Ending = last?.type === "finish" || last?.type === "failure" ? last : { type: "cut" };
  return closed(opened, ending).then((failure) =>
    failure === undefined || batch === undefined ? batch : [...batch.slice(0, -1), unwritten(failure, last)]
  );
}

/** What the answer ends in when its receipt cannot be written: what was sent stands (promises M5). */
const unwritten = ({ kind, message, details }: Refusal, last: AnswerEvent | undefined): FailureEvent => ({
  type: "failure",
  failure: last?.type === "failure" ? last.failure : { kind, message, retryAfter: details.retryAfter },
  ...(last?.type === "finish" || last?.type === "failure" ? { usage: last.usage } : {}),
});

/** Writes the receipt. Gives the refusal instead of throwing it. */
async function closed(opened: Opened, ending: Ending): Promise<Refusal | undefined> {
  const { deps: { clock, log }, turn, tab, at, begunAt, forget } = opened;
  forget();
  // Tokens of a call that was cut may have to be counted first.
  if (turn.notes.settling !== undefined) await turn.notes.settling;
  const made = receiptOf({ turn, tab, at, begunAt, ending, now: clock.now(), monotonic: clock.monotonic() });
  tell(opened, { ending, receipt: made });
  try {
    const written = tab.close(made);
    turn.notes.toldIn = tab.toldIn;
    await written;
    return undefined;
  } catch (error) {
    log.error("A receipt could not be written", { generation: made.id, error: String(error) });
    if (error instanceof Refusal) return error;
    return new Refusal("unavailable", "The receipt of this request could not be written.", { cause: error });
  }
}

interface Told {
  readonly ending: Ending;
  readonly receipt: Receipt;
}

function tell({ deps: { log }, turn }: Opened, { ending, receipt }: Told): void {
  const last = turn.notes.attempts.at(-1);
  log.debug("Request ended", {
    generation: receipt.id,
    ending: ending.type,
    model: last?.endpoint.model.id,
    provider: last?.endpoint.provider.id,
    attempts: turn.notes.attempts.length,
    ms: Math.round(receipt.total_ms),
  });
}
