/** What a call has used: by its provider's counts as far as there are any, else by our own. */

import { isPriced } from "../../pricing/unit_prices.ts";
import { partialUsage, type Usage } from "../../canonical/usage.ts";
import { collectMedia } from "../../pricing/request_media.ts";
import type { ReservationRequest } from "../../ledger/core/ledger.ts";
import type { ProviderRequest, ReportedUsage, RequestContext } from "../../pipeline/request_context.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { loadedTokenizer, loadTokenizer, type Tokenizer } from "../../tokenizer/tokens.ts";
import type { Logger } from "../../runtime.ts";
import type { UsageMeter } from "./token_estimate.ts";
import { plausible } from "../../pricing/clamp_counts.ts";

export interface CallUsageOptions {
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
  /** What was asked to be reserved. */
  readonly request: ReservationRequest;
  readonly rendered: Pick<ProviderRequest, "body">;
  /** Tokens: no answer is longer. */
  readonly maxOutputTokens: number;
  /** Counts what the provider does not. */
  readonly meter: UsageMeter;
  /** What the provider has counted so far. */
  readonly reported: ReportedUsage;
  readonly log: Pick<Logger, "warn">;
}

export class CallUsage {
  readonly #options: CallUsageOptions;
  readonly #meter: UsageMeter;
  readonly #isSpeech: boolean;

  constructor(options: CallUsageOptions) {
    this.#options = options;
    this.#meter = options.meter;
    this.#isSpeech = options.context.request.speech !== undefined;
  }

  /** The provider's latest counts; undefined before it has sent any. */
  get latest(): Usage | undefined {
    return this.#options.reported.reader?.usage();
  }

  /** Of an answer that ended well. */
  whole<T>(reported: Usage | undefined, settle: (usage: Usage) => T): T | Promise<T> {
    if (reported !== undefined && !this.#isEmpty(reported)) return settle(this.#possible(reported));
    return this.#withTokenizer((tokenizer) => {
      const usage = this.sofar(undefined, tokenizer);
      if (reported === undefined) return settle(usage);
      const { raw, reportedCost } = reported;
      return settle({ ...usage, raw, ...(reportedCost === undefined ? {} : { reportedCost }) });
    });
  }

  /** Of an answer that broke off, given to `settle`: now, unless the tokenizer has to be loaded first. */
  broken<T>(reported: Usage | undefined, settle: (usage: Usage) => T): T | Promise<T> {
    if (reported !== undefined && this.#covers(reported)) return settle(this.#possible(reported));
    return this.#withTokenizer((tokenizer) => settle(this.sofar(reported, tokenizer)));
  }

  /** By the provider's counts, with what came after them; else by our own. Without a tokenizer it is a rough count. */
  sofar(reported: Usage | undefined, tokenizer?: Tokenizer): Usage {
    const counting = { tokenizer, maxOutputTokens: this.#options.maxOutputTokens };
    if (reported === undefined || this.#isEmpty(reported)) {
      return this.#withUnreported(this.#meter.usage(counting));
    }
    if (reported.estimated) return this.#possible(partialUsage(reported, this.#meter.usage(counting)));
    return this.#possible(
      this.#meter.isBehind(reported) ? this.#meter.continued(reported, counting) : reported,
    );
  }

  /** Now where it is loaded; the first call that needs it waits a quarter of a second. */
  #withTokenizer<T>(run: (tokenizer: Tokenizer | undefined) => T): T | Promise<T> {
    this.#meter.end();
    const loaded = loadedTokenizer();
    if (loaded !== undefined) return run(loaded);
    const done = loadTokenizer().catch(() => {
      // Where it cannot be loaded, text is counted by its bytes.
      return undefined;
    }).then(run);
    const settling = done.then(() => {});
    this.#options.context.call.settling = settling;
    return done;
  }

  /** The provider's counts are of all that came. */
  #covers(reported: Usage): boolean {
    // What was heard of a speech is counted where it passes.
    if (this.#isSpeech) return true;
    return !reported.estimated && !this.#isEmpty(reported) && !this.#meter.isBehind(reported);
  }

  /** A provider that reports nothing read and nothing written for an answer that came has not counted. */
  #isEmpty({ inputTokens, outputTokens }: Usage): boolean {
    return inputTokens === 0 && outputTokens === 0 && this.#meter.hasOutput && !this.#isSpeech &&
      this.#options.endpoint.pricing !== null;
  }

  /** The provider's counts, brought to what can be. */
  #possible(usage: Usage): Usage {
    const { context: { request, ids }, endpoint, rendered: { body }, request: order, log } = this.#options;
    const speechTokens = this.#isSpeech ? order.defaultMaxTokens : undefined;
    const possible = plausible(usage, { request, endpoint, body, speechTokens });
    if (possible !== usage) {
      log.warn("Provider reported more usage than its model can have", {
        generation: ids.generation,
        endpoint: endpoint.id,
        tokens_in: usage.inputTokens,
        tokens_out: usage.outputTokens,
      });
    }
    return this.#withUnreported(possible);
  }

  /** With what providers do not count: uses of their tools, and images that went in and came out. */
  #withUnreported(usage: Usage): Usage {
    const { context: { request }, endpoint: { pricing } } = this.#options;
    const used = this.#meter.tools?.addTo(usage, request) ?? usage;
    const inputImages = pricing !== null && isPriced(pricing, "image")
      ? collectMedia(request)?.images ?? 0
      : 0;
    const outputImages = Math.max(this.#meter.images, used.outputImages ?? 0);
    if (inputImages === 0 && outputImages === (used.outputImages ?? 0)) return used;
    return {
      ...used,
      ...(inputImages === 0 ? {} : { inputImages }),
      ...(outputImages === 0 ? {} : { outputImages }),
    };
  }
}
