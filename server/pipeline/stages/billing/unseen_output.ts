/**
 * How long a provider has been writing what nobody sees: reasoning that it keeps to itself, or an answer that it sends
 * whole. Providers charge for it by the token, and a call that is cut never says how many there were.
 */

import type { ItemKey, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { WireId } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { Clock } from "../../../runtime.ts";

interface UnseenOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
}

/** Wires on which reasoning comes as it is written; on the others it comes as a summary, if at all. */
const showsReasoning: { readonly [W in WireId]: boolean } = {
  chat: true,
  responses: true,
  messages: false,
  gemini: false,
  bedrock: false,
};

export class UnseenOutput {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #shows: boolean;
  readonly #streamed: boolean;
  /** Monotonic ms; undefined while what is written is seen. */
  #since: number | undefined;
  #before = 0;
  #reasoningAt: ItemKey | undefined;
  /** The reasoning itself comes, so that its text is counted instead. */
  #shown = false;

  constructor({ clock, request, endpoint }: UnseenOptions) {
    this.#clock = clock;
    this.#shows = showsReasoning[endpoint.provider.wire];
    this.#streamed = request.stream;
    if (!request.stream || mayReasonUnseen(request, endpoint)) this.#since = clock.monotonic();
  }

  /** Milliseconds so far. */
  get ms(): number {
    return this.#before + (this.#since === undefined ? 0 : this.#clock.monotonic() - this.#since);
  }

  /** The answer is over: no more time passes for it. */
  end(): void {
    this.#stop();
  }

  see(event: OutputEvent): void {
    // A whole answer shows all that there is.
    if (!this.#streamed) return this.#forget();
    switch (event.type) {
      case "item":
        if (event.item.type === "reasoning") this.#reasons(event.itemKey);
        return;
      case "thought":
        return event.delta === "" ? undefined : this.#thinksAloud();
      case "text":
      case "refusal":
      case "arguments":
        return event.delta === "" ? undefined : this.#stop();
      case "item_done":
        return event.itemKey === this.#reasoningAt ? this.#stop() : undefined;
    }
  }

  #reasons(at: ItemKey): void {
    this.#reasoningAt = at;
    if (!this.#shown) this.#since ??= this.#clock.monotonic();
  }

  #thinksAloud(): void {
    if (!this.#shows) return;
    this.#shown = true;
    this.#forget();
  }

  #forget(): void {
    this.#since = undefined;
    this.#before = 0;
  }

  #stop(): void {
    this.#before = this.ms;
    this.#since = undefined;
  }
}

const reasoningParameters = ["reasoning", "reasoning_effort", "include_reasoning"];

/**
 * Whether the model may be reasoning before the provider sends anything. On the Responses and Messages wires an item
 * opens when it begins to reason; on the others the first sign of it may be the answer.
 */
function mayReasonUnseen({ reasoning }: ModelRequest, { provider: { wire }, model }: Endpoint): boolean {
  if (wire === "responses" || wire === "messages") return false;
  if (reasoning?.effort === "none" || reasoning?.enabled === false || reasoning?.maxTokens === 0) {
    return false;
  }
  const requested = reasoning?.effort !== undefined || reasoning?.maxTokens !== undefined ||
    reasoning?.enabled;
  if (requested === true || wire === "bedrock") return requested === true;
  return model.supportedParameters.some((name) => reasoningParameters.includes(name));
}
