/** One call under way, and what it has cost so far: progress for the journal, and the bill at its end. */

import { type Charge, computeCharge } from "../../../billing/pricing/charge.ts";
import { type NanoUsd, toNanoUsd, ZERO } from "../../../../shared/money.ts";
import type { Usage } from "../../../protocols/canonical/usage.ts";
import type { FailureEvent, FinishEvent, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { Reservation, Settlement } from "../../../billing/ledger/core/ledger.ts";
import type { CancelSignal } from "../../../one_shot_signal.ts";
import { mapPulled, type PullResult, type Source } from "../../../protocols/stream/source.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import { CallUsage, type CallUsageOptions } from "./call_usage.ts";
import type { UsageMeter } from "./token_estimate.ts";
import { mostOutput } from "../../../billing/pricing/reservation_request.ts";
import { settledCharge } from "./reported_cost.ts";

/** How often the journal hears of a stream (promises M2). */
const PROGRESS_MS = 2_000;
const PROGRESS_DELTAS = 50;

interface CallBillingOptions extends Omit<CallUsageOptions, "maxOutputTokens" | "log" | "clock"> {
  readonly log: Logger;
  readonly reservation: Reservation;
  readonly clock: Clock;
  /** The gateway stops: what it ends itself is charged as what a client ends. */
  readonly stop?: Pick<CancelSignal, "fired">;
  /** When the call began, ms since the epoch: some prices depend on the hour. */
  readonly at: number;
}

interface CallEnd {
  readonly usage: Usage;
  readonly event?: FinishEvent;
  readonly failed: boolean;
}

export class CallBilling {
  readonly #options: CallBillingOptions;
  readonly #meter: UsageMeter;
  readonly #usage: CallUsage;
  #over = false;
  #reportedAt: number;
  #reportedDeltas = 0;
  /** The provider's counts as they were last seen. */
  #counts: unknown;

  constructor(options: CallBillingOptions) {
    this.#options = options;
    this.#meter = options.meter;
    const { context, reservation, endpoint } = options;
    const maxOutputTokens = reservation.maxOutputTokens ?? context.request.maxOutputTokens ??
      mostOutput(endpoint);
    this.#usage = new CallUsage({ ...options, maxOutputTokens });
    this.#reportedAt = options.clock.monotonic();
  }

  /** The same answer; its end settles the reservation. */
  observe(source: Source<OutputEvent>): Source<OutputEvent> {
    const see = (batch: readonly OutputEvent[] | undefined) =>
      batch === undefined ? this.#broken() : this.#seen(batch);
    const cancel = (reason: string) => {
      this.settleAborted();
      source.cancel(reason);
    };
    return { pull: () => mapPulled(source.pull(), see), cancel };
  }

  /** The call came to nothing. */
  release(): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.reservation.release();
  }

  /**
   * The client has disconnected, or the gateway stops: the provider charges for what it read and wrote, so that is
   * charged. A client pays nothing to one that was to send its answer whole and has not begun to, unless it was
   * drawing: it is not known to have read anything. A call that has not been sent costs nothing. Where tokens have to
   * be counted for the first time it takes a moment: `settling` of the call's record resolves when it is done.
   */
  settleAborted(reported?: Usage): void {
    const { context: { request }, reported: { hasBegun, isSent }, stop } = this.#options;
    const mayHaveRead = request.stream || hasBegun === true || stop?.fired === true;
    if (isSent !== false && (mayHaveRead || this.#usage.openPictures > 0)) this.#settleCut(reported);
    else this.release();
  }

  /** A deadline or an operator has ended the call: what came is charged, and what was being drawn. */
  settleCut(reported?: Usage): void {
    const { isSent } = this.#options.reported;
    if (isSent !== false && (this.#meter.hasOutput || this.#usage.openPictures > 0)) {
      this.#settleCut(reported);
    } else this.release();
  }

  #settleCut(reported: Usage | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#usage.cut(reported ?? this.#usage.latest, (usage) => this.#bill({ usage, failed: false }));
  }

  #seen(batch: readonly OutputEvent[]): PullResult<OutputEvent> {
    if (this.#over) return batch;
    this.#meter.addEvents(batch);
    const counts = this.#options.reported.reader?.counts();
    if (counts !== this.#counts) this.#meter.mark();
    this.#counts = counts;
    const last = batch.at(-1);
    if (last?.type === "finish") return this.#finished(batch, last);
    if (last?.type === "failure") return this.#broke(batch, last);
    this.#progress();
    return batch;
  }

  #finished(batch: readonly OutputEvent[], event: FinishEvent): PullResult<OutputEvent> {
    this.#over = true;
    const bill = (usage: Usage) => {
      this.#bill({ usage, event, failed: false });
      return withLastEvent(batch, event.usage === usage ? event : { ...event, usage });
    };
    return this.#usage.whole(event.usage, bill);
  }

  /** Charges what was produced when a call breaks; nothing where nothing was (promises M6). */
  #broke(batch: readonly OutputEvent[], event: FailureEvent): PullResult<OutputEvent> {
    if (this.#options.context.clientDisconnect.fired || this.#options.stop?.fired === true) {
      this.settleAborted(event.usage);
      const { settling } = this.#options.context.call;
      return settling === undefined ? batch : settling.then(() => batch);
    }
    const reported = event.usage ?? this.#usage.latest;
    const { reader, wasCut: isCut } = this.#options.reported;
    // Counts of an answer that came whole are of all that came.
    if (reader === undefined) this.#meter.mark();
    const wasCut = isCut?.() === true;
    if (!this.#meter.hasOutput && !(wasCut && this.#usage.openPictures > 0)) {
      this.release();
      return withLastEvent(batch, event.usage === undefined ? event : { ...event, usage: undefined });
    }
    this.#over = true;
    const bill = (usage: Usage) => {
      this.#bill({ usage, failed: true });
      return withLastEvent(batch, { ...event, usage });
    };
    return wasCut ? this.#usage.cut(reported, bill) : this.#usage.broken(reported, bill);
  }

  /** A source without a last word, which no wire leaves. */
  #broken(): undefined {
    if (this.#over) return;
    if (!this.#meter.hasOutput) {
      this.release();
      return;
    }
    this.#over = true;
    this.#bill({ usage: this.#usage.sofar(this.#usage.latest), failed: true });
  }

  #progress(): void {
    const { clock, reservation } = this.#options;
    const now = clock.monotonic();
    const few = this.#meter.deltas - this.#reportedDeltas < PROGRESS_DELTAS;
    if (few && now - this.#reportedAt < PROGRESS_MS) return;
    this.#reportedAt = now;
    this.#reportedDeltas = this.#meter.deltas;
    const usage = this.#usage.sofar(this.#usage.latest);
    reservation.progress(this.#settlement(this.#charge({ usage, failed: false }), usage));
  }

  #charge({ usage, event, failed }: CallEnd): Charge {
    const { endpoint: { pricing }, at } = this.#options;
    return computeCharge(usage, pricing, { at, serviceTier: this.#tier(event), failed });
  }

  #tier(event: FinishEvent | undefined): string | undefined {
    return event?.serviceTier ?? this.#options.context.request.serviceTier;
  }

  #bill(ending: CallEnd): void {
    this.#over = true;
    const { context, endpoint, reservation } = this.#options;
    const { usage, event } = ending;
    const charge = settledCharge(this.#charge(ending), {
      usage,
      endpoint,
      reserved: reservation.reserved,
      log: this.#options.log,
      generation: context.ids.generation,
    });
    const settlement = this.#settlement(charge, charge);
    context.call.callCosts.push({
      endpoint,
      usage,
      charge: { ...charge, ...capCharge(charge, toNanoUsd(settlement.cost + settlement.byok)) },
      upstreamId: this.#meter.upstreamId,
      finishReason: event?.reason,
      serviceTier: usage.serviceTier ?? this.#tier(event),
    });
    reservation.settle(settlement);
  }

  #settlement({ total }: Charge, { estimated }: Pick<Usage, "estimated">): Settlement {
    const amount = estimated ? minUsd(total, this.#most()) : total;
    return this.#options.endpoint.byok === true ? { cost: ZERO, byok: amount } : { cost: amount, byok: ZERO };
  }

  /** An estimate never passes what was reserved, or what would have been under a limit. */
  #most(): NanoUsd {
    const { endpoint, reservation, request } = this.#options;
    if (reservation.limited) return reservation.reserved;
    return request.costBound?.total(request.requestedMaxTokens ?? mostOutput(endpoint)) ?? MOST;
  }
}

const MOST = toNanoUsd(Number.MAX_SAFE_INTEGER);
const minUsd = (a: NanoUsd, b: NanoUsd): NanoUsd => a < b ? a : b;

/** The same batch where its last event is the same. */
const withLastEvent = (batch: readonly OutputEvent[], last: OutputEvent): readonly OutputEvent[] =>
  batch.at(-1) === last ? batch : [...batch.slice(0, -1), last];

/** The sides of a charge of which only so much is taken. */
function capCharge({ total, input, output }: Charge, most: NanoUsd): Partial<Charge> {
  if (total <= most) return {};
  const first = Math.min(input, most);
  const second = Math.min(output, most - first);
  return {
    total: most,
    input: toNanoUsd(first),
    output: toNanoUsd(second),
    tools: toNanoUsd(most - first - second),
  };
}
