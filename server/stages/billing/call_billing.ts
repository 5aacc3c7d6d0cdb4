/** One call under way, and what it has cost so far: progress for the journal, and the bill at its end. */

import { type Charge, chargeFor } from "../../pricing/charge.ts";
import { type NanoUsd, toNanoUsd, ZERO } from "../../../shared/money.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { AnswerEvent, FailureEvent, FinishEvent } from "../../canonical/event.ts";
import type { Hold, Settlement } from "../../ledger/core/ledger.ts";
import type { Hangup } from "../../pipeline/request_context.ts";
import { type Pulled, seen, type Source } from "../../stream/source.ts";
import type { Clock, Log } from "../../runtime.ts";
import { CallUsage, type CallUsageOptions } from "./call_usage.ts";
import type { Metering } from "./token_estimate.ts";
import { mostOutput } from "../../pricing/reservation_request.ts";
import { settledCharge } from "./reported_cost.ts";

/** How often the journal hears of a stream (promises M2). */
const PROGRESS_MS = 2_000;
const PROGRESS_DELTAS = 50;

export interface SpendingOptions extends Omit<CallUsageOptions, "outputCap" | "log"> {
  readonly log: Log;
  readonly hold: Hold;
  readonly clock: Clock;
  /** The gateway stops: what it ends itself is charged as what a client ends. */
  readonly stop?: Pick<Hangup, "gone">;
  /** When the call began, ms since the epoch: some prices depend on the hour. */
  readonly at: number;
}

interface Ending {
  readonly usage: Usage;
  readonly event?: FinishEvent;
  readonly failed: boolean;
}

export class Spending {
  readonly #options: SpendingOptions;
  readonly #meter: Metering;
  readonly #usage: CallUsage;
  #over = false;
  #toldAt: number;
  #toldDeltas = 0;
  /** The provider's counts as they were last seen. */
  #counts: unknown;

  constructor(options: SpendingOptions) {
    this.#options = options;
    this.#meter = options.meter;
    const { turn, hold, endpoint } = options;
    const outputCap = hold.outputCap ?? turn.request.maxOutputTokens ?? mostOutput(endpoint);
    this.#usage = new CallUsage({ ...options, outputCap });
    this.#toldAt = options.clock.monotonic();
  }

  /** The same answer; its end settles the hold. */
  watch(source: Source<AnswerEvent>): Source<AnswerEvent> {
    const see = (batch: readonly AnswerEvent[] | undefined) =>
      batch === undefined ? this.#broken() : this.#seen(batch);
    const cancel = (reason: string) => {
      this.cut();
      source.cancel(reason);
    };
    return { pull: () => seen(source.pull(), see), cancel };
  }

  /** The call came to nothing. */
  failed(): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.hold.release();
  }

  /**
   * The client has disconnected, or the gateway stops: the provider charges for what it read and wrote, so that is
   * charged. Where tokens have to be counted for the first time it takes a moment: `notes.settling` resolves when it is
   * done.
   */
  cut(reported?: Usage): void {
    if (this.#over) return;
    this.#over = true;
    this.#usage.broken(reported ?? this.#usage.latest, (usage) => this.#bill({ usage, failed: false }));
  }

  #seen(batch: readonly AnswerEvent[]): Pulled<AnswerEvent> {
    if (this.#over) return batch;
    this.#meter.see(batch);
    const counts = this.#options.reported.reader?.counts();
    if (counts !== this.#counts) this.#meter.mark();
    this.#counts = counts;
    const last = batch.at(-1);
    if (last?.type === "finish") return this.#finished(batch, last);
    if (last?.type === "failure") return this.#broke(batch, last);
    this.#progress();
    return batch;
  }

  #finished(batch: readonly AnswerEvent[], event: FinishEvent): Pulled<AnswerEvent> {
    this.#over = true;
    const bill = (usage: Usage) => {
      this.#bill({ usage, event, failed: false });
      return endingIn(batch, event.usage === usage ? event : { ...event, usage });
    };
    return this.#usage.whole(event.usage, bill);
  }

  /** What was produced is charged; nothing where nothing was (promises M6). */
  #broke(batch: readonly AnswerEvent[], event: FailureEvent): Pulled<AnswerEvent> {
    if (this.#options.turn.hangup.gone || this.#options.stop?.gone === true) {
      this.cut(event.usage);
      const { settling } = this.#options.turn.notes;
      return settling === undefined ? batch : settling.then(() => batch);
    }
    const reported = event.usage ?? this.#usage.latest;
    if (!this.#meter.produced && (reported === undefined || reported.estimated)) {
      this.failed();
      return batch;
    }
    this.#over = true;
    return this.#usage.broken(reported, (usage) => {
      this.#bill({ usage, failed: true });
      return endingIn(batch, { ...event, usage });
    });
  }

  /** A source without a last word, which no wire leaves. */
  #broken(): undefined {
    if (this.#over) return;
    if (!this.#meter.produced) {
      this.failed();
      return;
    }
    this.#over = true;
    this.#bill({ usage: this.#usage.sofar(this.#usage.latest), failed: true });
  }

  #progress(): void {
    const { clock, hold } = this.#options;
    const now = clock.monotonic();
    const few = this.#meter.deltas - this.#toldDeltas < PROGRESS_DELTAS;
    if (few && now - this.#toldAt < PROGRESS_MS) return;
    this.#toldAt = now;
    this.#toldDeltas = this.#meter.deltas;
    const usage = this.#usage.sofar(this.#usage.latest);
    hold.progress(this.#settlement(this.#charge({ usage, failed: false }), usage));
  }

  #charge({ usage, event, failed }: Ending): Charge {
    const { endpoint: { pricing }, at } = this.#options;
    return chargeFor(usage, pricing, { at, serviceTier: this.#tier(event), failed });
  }

  #tier(event: FinishEvent | undefined): string | undefined {
    return event?.serviceTier ?? this.#options.turn.request.serviceTier;
  }

  #bill(ending: Ending): void {
    this.#over = true;
    const { turn, endpoint, hold } = this.#options;
    const { usage, event } = ending;
    const charge = settledCharge(this.#charge(ending), {
      usage,
      endpoint,
      reserved: hold.reserved,
      log: this.#options.log,
      generation: turn.ids.generation,
    });
    const settlement = this.#settlement(charge, charge);
    turn.notes.bills.push({
      endpoint,
      usage,
      charge: { ...charge, ...capped(charge, toNanoUsd(settlement.cost + settlement.byok)) },
      upstreamId: this.#meter.upstreamId,
      finish: event?.reason,
      serviceTier: usage.serviceTier ?? this.#tier(event),
    });
    hold.settle(settlement);
  }

  #settlement({ total }: Charge, { estimated }: Pick<Usage, "estimated">): Settlement {
    const amount = estimated ? minUsd(total, this.#most()) : total;
    return this.#options.endpoint.byok === true ? { cost: ZERO, byok: amount } : { cost: amount, byok: ZERO };
  }

  /** An estimate never passes what was reserved, or what would have been under a limit. */
  #most(): NanoUsd {
    const { endpoint, hold, order } = this.#options;
    if (hold.limited) return hold.reserved;
    return order.worst?.total(order.askedCap ?? mostOutput(endpoint)) ?? MOST;
  }
}

const MOST = toNanoUsd(Number.MAX_SAFE_INTEGER);
const minUsd = (a: NanoUsd, b: NanoUsd): NanoUsd => a < b ? a : b;

/** The same batch where its last event is the same. */
const endingIn = (batch: readonly AnswerEvent[], last: AnswerEvent): readonly AnswerEvent[] =>
  batch.at(-1) === last ? batch : [...batch.slice(0, -1), last];

/** The sides of a charge of which only so much is taken. */
function capped({ total, input, output }: Charge, most: NanoUsd): Partial<Charge> {
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
