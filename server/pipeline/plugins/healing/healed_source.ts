/** An answer with its JSON healed: held back, and sent in one piece at its end. */

import { tryParseJson } from "../../../../shared/util/json.ts";
import { isLongText, nextLongStep } from "../../../../shared/util/long_step.ts";
import { pause } from "../../../../shared/util/pause.ts";
import { runWork, WorkTooLong } from "../../../../shared/util/run_work.ts";
import type { FinishReason, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { Source } from "../../../protocols/stream/source.ts";
import type { RequestRecord } from "../../request_record.ts";
import { type Healing, healJson, type JsonFormat } from "./heal_json.ts";
import { type UnhealedReason, unhealedReasons } from "./healing_reasons.ts";
import { HeldResponse } from "./held_response.ts";

interface HealedSourceOptions {
  readonly format: JsonFormat;
  readonly record: RequestRecord;
  readonly clock: { monotonic(): number };
}

/** Never throws, as its source. */
export class HealedSource implements Source<OutputEvent> {
  readonly #source: Source<OutputEvent>;
  readonly #options: HealedSourceOptions;
  readonly #held = new HeldResponse();

  constructor(source: Source<OutputEvent>, options: HealedSourceOptions) {
    this.#source = source;
    this.#options = options;
  }

  async pull(): Promise<readonly OutputEvent[] | undefined> {
    for (;;) {
      const batch = await this.#source.pull();
      if (batch === undefined) return this.#rest();
      const out: OutputEvent[] = [];
      for (const event of batch) {
        if (event.type === "finish") out.push(...await this.#finished(event.reason), event);
        else if (event.type === "failure") out.push(...this.#broken(), event);
        else out.push(...this.#held.take(event));
      }
      if (out.length > 0) return out;
    }
  }

  cancel(reason: string): void {
    this.#source.cancel(reason);
  }

  /** The source has ended without an end of the answer. */
  #rest(): readonly OutputEvent[] | undefined {
    const rest = this.#broken();
    return rest.length === 0 ? undefined : rest;
  }

  #broken(): readonly OutputEvent[] {
    if (this.#held.texts.length > 0) this.#recordStage("broken_off");
    return this.#held.release();
  }

  async #finished(finish: FinishReason): Promise<readonly OutputEvent[]> {
    const { texts } = this.#held;
    const [text = ""] = texts;
    const reason = this.#hindrance(finish);
    if (reason !== undefined) this.#recordStage(reason);
    if (reason !== undefined || text === "") return this.#held.release();
    const healing = await this.#heal(text);
    if (healing.type === "unhealed") this.#recordStage(healing.reason);
    if (healing.type !== "healed") return this.#held.release();
    this.#recordStage(undefined, healing.text);
    return this.#held.releaseHealed(healing.text);
  }

  /** Why nothing is healed, whatever the text is. */
  #hindrance(finish: FinishReason): UnhealedReason | undefined {
    const { texts, hasRefusal } = this.#held;
    if (hasRefusal) return "refusal";
    if (texts.length > 1) return "several_texts";
    if (finish === "stop" || texts.every((text) => tryParseJson(text) !== undefined)) return undefined;
    return finish === "length" ? "token_limit" : "content_filter";
  }

  async #heal(text: string): Promise<Healing> {
    const { format, clock } = this.#options;
    if (isLongText(text.length)) await nextLongStep();
    try {
      return await runWork(healJson(text, format), { clock, pause });
    } catch (error) {
      if (error instanceof WorkTooLong) return { type: "unhealed", reason: "too_long" };
      throw error;
    }
  }

  #recordStage(reason: UnhealedReason | undefined, healed?: string): void {
    const { format, record } = this.#options;
    const before = this.#held.texts.reduce((sum, { length }) => sum + length, 0);
    record.addStage({
      type: "response_healing",
      name: "response-healing",
      summary: reason === undefined ? "The JSON of the answer was healed" : unhealedReasons[reason],
      data: {
        mode: format.type,
        improved: reason === undefined,
        ...(reason === undefined ? {} : { reason }),
        original_length: before,
        ...(healed === undefined ? {} : { healed_length: healed.length }),
      },
    });
  }
}
