/** One call under way, and what it has cost so far: progress for the journal, and the bill at its end. */

import { type Charge, chargeFor } from "../../shared/costs.ts";
import { type NanoUsd, toNanoUsd, ZERO } from "../../shared/money.ts";
import { brokenOff, type Usage } from "../../shared/usage.ts";
import type { AnswerEvent, FailureEvent, FinishEvent } from "../hub/event.ts";
import type { Hold, Settlement } from "../ledger/ledger.ts";
import type { Turn } from "../pipeline/turn.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import { seen, type Source } from "../stream/source.ts";
import type { Clock, Log } from "../world.ts";
import { Meter, type Metering } from "./estimate.ts";
import { settledCharge } from "./reported_cost.ts";

/** How often the journal hears of a stream (promises M2). */
const PROGRESS_MS = 2_000;
const PROGRESS_DELTAS = 50;

export interface SpendingOptions {
  readonly turn: Turn;
  readonly endpoint: Endpoint;
  readonly hold: Hold;
  readonly clock: Clock;
  readonly log: Log;
  /** When the call began, ms since the epoch: some prices depend on the hour. */
  readonly at: number;
  /** Counts what the provider does not tell; words unless told otherwise. */
  readonly meter?: Metering;
}

interface Ending {
  readonly usage: Usage;
  readonly event?: FinishEvent;
  readonly failed: boolean;
}

export class Spending {
  readonly #options: SpendingOptions;
  readonly #meter: Metering;
  #over = false;
  #toldAt: number;
  #toldDeltas = 0;

  constructor(options: SpendingOptions) {
    this.#options = options;
    this.#meter = options.meter ?? new Meter();
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
   * The client left: the provider was asked and charges for it, so what went in and came out is charged. `told`:
   * what the provider has counted.
   */
  cut(told?: Usage): void {
    if (!this.#over) this.#bill({ usage: this.#usedUp(told) ?? this.#counted(), failed: false });
  }

  #seen(batch: readonly AnswerEvent[]): readonly AnswerEvent[] {
    if (this.#over) return batch;
    this.#meter.see(batch);
    const last = batch.at(-1);
    if (last?.type === "finish") return endingIn(batch, this.#finished(last));
    if (last?.type === "failure") return endingIn(batch, this.#broke(last));
    this.#progress();
    return batch;
  }

  #finished(event: FinishEvent): FinishEvent {
    const usage = this.#withTools(event.usage ?? this.#counted());
    this.#bill({ usage, event, failed: false });
    return event.usage === usage ? event : { ...event, usage };
  }

  /** What was produced is charged; nothing where nothing was (promises M6). */
  #broke(event: FailureEvent): FailureEvent {
    if (this.#options.turn.hangup.gone) {
      this.cut(event.usage);
      return event;
    }
    const usage = this.#usedUp(event.usage) ?? (this.#meter.produced ? this.#counted() : undefined);
    if (usage === undefined) {
      this.failed();
      return event;
    }
    this.#bill({ usage, failed: true });
    return { ...event, usage };
  }

  /** A source without a last word, which no wire leaves. */
  #broken(): undefined {
    if (this.#over) return;
    if (this.#meter.produced) this.#bill({ usage: this.#counted(), failed: true });
    else this.failed();
  }

  #progress(): void {
    const { clock, hold } = this.#options;
    const now = clock.monotonic();
    const few = this.#meter.deltas - this.#toldDeltas < PROGRESS_DELTAS;
    if (few && now - this.#toldAt < PROGRESS_MS) return;
    this.#toldAt = now;
    this.#toldDeltas = this.#meter.deltas;
    const usage = this.#counted();
    hold.progress(this.#settlement(this.#charge({ usage, failed: false }), usage));
  }

  /** Counts of an end stand; of those of a beginning, the output is what came. */
  #usedUp(told: Usage | undefined): Usage | undefined {
    // What was heard of a speech is counted where it passes.
    if (this.#options.turn.request.speech !== undefined) return told;
    return told === undefined ? undefined : this.#withTools(brokenOff(told, this.#counted()));
  }

  #withTools(usage: Usage): Usage {
    return this.#meter.tools?.added(usage, this.#options.turn.request) ?? usage;
  }

  #counted(): Usage {
    const { turn, hold } = this.#options;
    return this.#withTools(this.#meter.usage(turn.request, hold.outputCap ?? turn.request.maxOutputTokens));
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

  /** A count of our own is a guess, and no guess passes a limit. */
  #settlement({ total }: Charge, { estimated }: Pick<Usage, "estimated">): Settlement {
    const { turn, endpoint, hold } = this.#options;
    const limited = (turn.payer?.limits.length ?? 0) > 0;
    const amount = limited && estimated && total > hold.reserved ? hold.reserved : total;
    return endpoint.byok === true ? { cost: ZERO, byok: amount } : { cost: amount, byok: ZERO };
  }
}

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
