/** The usage of a call: by its provider's counts as far as there are any, else by our own. */

import { pause } from "../../../../shared/util/pause.ts";
import { runWork } from "../../../../shared/util/run_work.ts";
import { isPriced } from "../../../billing/pricing/unit_prices.ts";
import { partialUsage, replaceCounts, type Usage } from "../../../protocols/canonical/usage.ts";
import { lacksPictures, painterOf, withPictures } from "../../../billing/pricing/drawn_pictures.ts";
import { countPages, hasPages } from "../../../billing/documents/page_counts.ts";
import { collectMedia, documentsOf } from "../../../billing/pricing/request_media.ts";
import type { ReservationRequest } from "../../../billing/ledger/core/ledger.ts";
import type { ProviderRequest, ReportedUsage, RequestContext } from "../../request_context.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import { loadedTokenizer, loadTokenizer } from "../../../billing/tokenizer/tokens.ts";
import type { Clock, Logger } from "../../../runtime.ts";
import type { Counting, UsageMeter } from "./token_estimate.ts";
import { plausible } from "../../../billing/pricing/clamp_counts.ts";

export interface CallUsageOptions {
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
  /** Reservation that was requested. */
  readonly request: ReservationRequest;
  readonly rendered: Pick<ProviderRequest, "body">;
  /** Tokens: no answer is longer. */
  readonly maxOutputTokens: number;
  /** Counts what the provider does not. */
  readonly meter: UsageMeter;
  /** Counts that the provider has reported so far. */
  readonly reported: ReportedUsage;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Pick<Logger, "warn">;
}

/** Output below a third of what was delivered is not believed; by a rough count already below a half is doubtful. */
const BELIEVED = 3;
const ROUGHLY_BELIEVED = 2;

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

  /** Settles the usage of an answer that ended well. */
  whole<T>(reported: Usage | undefined, settle: (usage: Usage) => T): T | Promise<T> {
    if (reported !== undefined && !this.#isDoubtful(reported)) return settle(this.#possible(reported));
    const isGuess = reported === undefined || reported.estimated;
    return this.#count((counting) =>
      settle(isGuess ? this.#sofar(reported, counting) : this.#final(reported, counting))
    );
  }

  /** Passes the usage of an answer that broke off to `settle`: now, unless the tokenizer has to be loaded first. */
  broken<T>(reported: Usage | undefined, settle: (usage: Usage) => T): T | Promise<T> {
    if (reported !== undefined && this.#covers(reported)) return settle(this.#possible(reported));
    return this.#count((counting) => settle(this.#sofar(reported, counting)));
  }

  /** Passes the usage of an answer that the gateway has cut to `settle`: with the pictures that were being drawn. */
  cut<T>(reported: Usage | undefined, settle: (usage: Usage) => T): T | Promise<T> {
    return this.broken(reported, (usage) => settle(this.#withOpenPictures(usage)));
  }

  /** By the provider's counts, with what came after them; else by our own, roughly. */
  sofar(reported: Usage | undefined): Usage {
    return this.#sofar(reported, { maxOutputTokens: this.#options.maxOutputTokens });
  }

  /** Pictures that the provider was drawing, as far as anybody can tell; undefined where it draws none. */
  get openPictures(): number {
    const { context: { request }, endpoint } = this.#options;
    const { images, openImages } = this.#meter;
    if (openImages > 0) return openImages;
    const painter = painterOf({ request, endpoint });
    // Models send pictures whole, and so does anybody who does not stream: what is drawn shows when it is there.
    return images === 0 && (painter?.type === "model" || painter?.type === "tool" && !request.stream) ? 1 : 0;
  }

  #sofar(reported: Usage | undefined, counting: Counting): Usage {
    if (reported === undefined) return this.#withUnreported(this.#meter.usage(counting));
    if (reported.estimated) {
      return this.#final(partialUsage(reported, this.#meter.usage(counting)), counting);
    }
    const isBehind = this.#meter.isBehind(reported);
    return this.#final(isBehind ? this.#meter.continued(reported, counting) : reported, counting);
  }

  /** Nothing came after these counts. */
  #final(reported: Usage, counting: Counting): Usage {
    return this.#possible(this.#believed(reported, counting));
  }

  /** Counts where it can at once; the first call that needs the tokenizer waits until it is loaded. */
  #count<T>(run: (counting: Counting) => T): T | Promise<T> {
    this.#meter.end();
    const { maxOutputTokens, context, clock } = this.#options;
    const tokenizer = loadedTokenizer();
    const documents = documentsOf(context.request).filter(hasPages);
    if (tokenizer !== undefined && documents.length === 0) return run({ tokenizer, maxOutputTokens });
    const pages = async () => await runWork(countPages(documents), { clock, pause, mostMs: Infinity });
    const done = Promise.all([loadTokenizer(clock), pages()]).then(
      ([tokenizer, pages]) => ({ tokenizer, pages, maxOutputTokens }),
      // Where it cannot be loaded, text is counted by its scripts.
      () => ({ maxOutputTokens }),
    ).then(run);
    context.call.settling = done.then(() => {});
    return done;
  }

  /** The provider's counts are of all that came. */
  #covers(reported: Usage): boolean {
    // What was heard of a speech is counted where it passes.
    return this.#isSpeech || !this.#isDoubtful(reported) && !this.#meter.isBehind(reported);
  }

  /** Counts that may not be of what came: it has to be counted to know. */
  #isDoubtful(reported: Usage): boolean {
    if (this.#isSpeech || this.#options.endpoint.pricing === null) return false;
    if (reported.estimated || this.#lacksInput(reported)) return true;
    const delivered = this.#meter.deliveredTokens();
    return reported.outputTokens * ROUGHLY_BELIEVED < delivered || this.#lacksPictures(reported);
  }

  /** Corrects the provider's counts by our own where they are missing, or far below what came. */
  #believed(reported: Usage, counting: Counting): Usage {
    if (this.#isSpeech || this.#options.endpoint.pricing === null) return reported;
    const delivered = this.#meter.deliveredTokens(counting.tokenizer);
    const lacksInput = this.#lacksInput(reported);
    const lacksOutput = reported.outputTokens * BELIEVED < delivered;
    const believed = lacksInput || lacksOutput
      ? replaceCounts(reported, { counted: this.#meter.usage(counting), lacksInput, lacksOutput })
      : reported;
    if (believed !== reported) this.#warn("Provider reported less usage than there was", reported);
    return this.#lacksPictures(believed) ? this.#withPictures(believed, this.#meter.images) : believed;
  }

  #lacksInput({ inputTokens }: Usage): boolean {
    return inputTokens === 0 && this.#meter.hasOutput;
  }

  #lacksPictures(usage: Usage): boolean {
    const { context: { request }, endpoint } = this.#options;
    const pictures = this.#meter.images;
    if (pictures === 0 || endpoint.pricing === null) return false;
    const painter = painterOf({ request, endpoint });
    return painter !== undefined && lacksPictures(usage, { painter, pictures, list: endpoint.pricing });
  }

  #withOpenPictures(usage: Usage): Usage {
    const open = this.openPictures;
    if (open === 0) return usage;
    // The time that an answer in one piece took was that of its picture.
    const isTimed = usage.estimated && !this.#options.context.request.stream;
    const outputTokens = isTimed ? this.#meter.deliveredTokens() : usage.outputTokens;
    return this.#withPictures({ ...usage, outputTokens }, this.#meter.images + open);
  }

  #withPictures(usage: Usage, pictures: number): Usage {
    const { context: { request }, endpoint } = this.#options;
    const painter = painterOf({ request, endpoint });
    if (painter === undefined || endpoint.pricing === null) return usage;
    const textTokens = this.#meter.deliveredTokens();
    return withPictures(usage, { painter, pictures, textTokens, list: endpoint.pricing });
  }

  /** The provider's counts, brought to what can be. */
  #possible(usage: Usage): Usage {
    const { context: { request }, endpoint, rendered: { body }, request: order } = this.#options;
    const speechTokens = this.#isSpeech ? order.defaultMaxTokens : undefined;
    const possible = plausible(usage, { request, endpoint, body, speechTokens });
    if (possible !== usage) this.#warn("Provider reported more usage than its model can have", usage);
    return this.#withUnreported(possible);
  }

  #warn(message: string, { inputTokens, outputTokens }: Usage): void {
    const { context: { ids }, endpoint, log } = this.#options;
    log.warn(message, {
      generation: ids.generation,
      endpoint: endpoint.id,
      tokens_in: inputTokens,
      tokens_out: outputTokens,
    });
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
