/** Judges requests by the operator's service, and remembers what that has let through. */

import { pause } from "../../../../shared/util/pause.ts";
import { runWork } from "../../../../shared/util/run_work.ts";
import { type NanoUsd, toNanoUsd } from "../../../../shared/money.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { AbortSignalLike } from "../../../providers/upstream/call_abort.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import type { Bought, Purchase } from "../../purchase.ts";
import { judgeInputs, type Judgement, moderationCalls } from "./judge_inputs.ts";
import { moderationInputs } from "./moderation_inputs.ts";
import type { ModerationService } from "./moderation_service.ts";
import { PassedInputs } from "./passed_inputs.ts";
import { moderationWire } from "./wires/mod.ts";
import type { ModerationInput } from "./wires/wire.ts";

/** Between two log lines that the service gives no verdict. */
const LOG_MS = 60_000;

export interface ModeratedInputs {
  /** Inputs of each call that has to be made; empty where all has passed before. */
  readonly calls: readonly (readonly ModerationInput[])[];
  /** Images, sounds, videos and files that the service is not told of. */
  readonly unread: number;
}

interface Asking {
  readonly signal: AbortSignalLike;
  /** Buys within the caller's limits. */
  readonly purchase: <T>(purchase: Purchase<T>) => Promise<T>;
}

export class Moderator {
  readonly service: ModerationService;
  readonly #passed = new PassedInputs();
  #loggedAt = -Infinity;

  constructor(service: ModerationService) {
    this.service = service;
  }

  /** Reads the request, with pauses. */
  async read(request: ModelRequest, clock: Pick<Clock, "monotonic">): Promise<ModeratedInputs> {
    const wire = moderationWire(this.service.wire);
    const reading = moderationInputs(request, { withImages: wire.readsImages });
    const { inputs, unread } = await runWork(reading, { clock, pause });
    return { calls: moderationCalls(inputs.filter((input) => !this.#passed.has(input)), wire), unread };
  }

  /** The most that its judgement costs. */
  costOf({ calls }: ModeratedInputs): NanoUsd {
    return this.#costOf(calls.length);
  }

  #costOf(calls: number): NanoUsd {
    return toNanoUsd((this.service.price ?? 0) * calls);
  }

  /** Rejects where the limits of the caller do not allow what it costs. */
  async judge(inputs: ModeratedInputs, { signal, purchase }: Asking): Promise<Judgement> {
    const { calls } = inputs;
    const { service } = this;
    const { price, name } = service;
    const buy = async (): Promise<Bought<Judgement>> => {
      let answers = 0;
      const value = await judgeInputs(calls, {
        service,
        signal,
        onAnswer: () => void answers++,
        onPassed: (input) => this.#passed.add(input),
      });
      return { value, isCharged: answers > 0, cost: this.#costOf(answers) };
    };
    if (price === undefined) return (await buy()).value;
    return await purchase({ service: name, rate: "request", price: this.costOf(inputs), buy });
  }

  /** Asks for a verdict on a harmless text, for checks of the service. */
  probe(signal: AbortSignalLike): Promise<Judgement> {
    const ignored = () => {};
    const { service } = this;
    return judgeInputs([[{ type: "text", text: "Hello" }]], {
      service,
      signal,
      onAnswer: ignored,
      onPassed: ignored,
    });
  }

  logFailure(error: unknown, { log, clock }: { readonly log: Logger; readonly clock: Clock }): void {
    if (clock.monotonic() - this.#loggedAt < LOG_MS) return;
    this.#loggedAt = clock.monotonic();
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
    log.error("The moderation service gives no verdict", {
      fail: this.service.fail,
      error: reason.slice(0, 300),
    });
  }
}
