/** The batches of a response, each read before it goes on. */

import { ApiError } from "../../../../../shared/errors.ts";
import type { OutputEvent } from "../../../../protocols/canonical/event.ts";
import { addUsage, type Usage } from "../../../../protocols/canonical/usage.ts";
import { failureOf } from "../../../api_failure.ts";
import type { ModelResponse, RequestContext } from "../../../request_context.ts";
import { prepend, type Source } from "../../../../protocols/stream/source.ts";

interface GuardedOptions {
  readonly context: RequestContext;
  /** A batch as it may go on. Throws an ApiError, or rejects with it, where nothing may. */
  readonly read: (batch: readonly OutputEvent[]) => OutputEvent[] | Promise<OutputEvent[]>;
  /** Whether something may be blocked: then the response begins with its first text. */
  readonly isEnforced: boolean;
}

/** The response, read. A block before anything of it is out is thrown, a later one ends it. */
export async function guardedResponse(
  { source, endpoint }: ModelResponse,
  { context, read, isEnforced }: GuardedOptions,
): Promise<ModelResponse> {
  const guarded = new GuardedSource({ source, read });
  const first: (readonly OutputEvent[])[] = [];
  try {
    for (let begun = !isEnforced; !begun;) {
      const batch = await guarded.pullScanned();
      if (batch === undefined) break;
      first.push(batch);
      begun = batch.some(({ type }) => type !== "begin" && type !== "item");
    }
  } catch (error) {
    await cancelAndSettle(source, context);
    throw error;
  }
  const pull = () => guarded.pullScanned().catch((error) => failureEvents(error, { source, context }));
  return { endpoint, source: prepend(first, { pull, cancel: (reason) => source.cancel(reason) }) };
}

interface OpenResponse {
  readonly source: Source<OutputEvent>;
  readonly context: RequestContext;
}

/** The end of a response of which something is out already. */
async function failureEvents(
  error: unknown,
  { source, context }: OpenResponse,
): Promise<readonly OutputEvent[]> {
  const usage = await cancelAndSettle(source, context);
  if (!(error instanceof ApiError)) throw error;
  return [{ type: "failure", failure: failureOf(error), usage }];
}

/** The provider is no longer needed; what it has produced is charged. The usage of the call, once it is known. */
async function cancelAndSettle(
  source: Source<OutputEvent>,
  { call }: RequestContext,
): Promise<Usage | undefined> {
  source.cancel("A guardrail blocked the response.");
  await call.settling;
  return call.callCosts.map(({ usage }) => usage).reduce<Usage | undefined>(addUsage, undefined);
}

interface GuardedSourceOptions {
  readonly source: Source<OutputEvent>;
  readonly read: (batch: readonly OutputEvent[]) => OutputEvent[] | Promise<OutputEvent[]>;
}

/** A response's batches, read. Nothing comes behind its end. */
export class GuardedSource {
  readonly #options: GuardedSourceOptions;
  #isOver = false;

  constructor(options: GuardedSourceOptions) {
    this.#options = options;
  }

  /** Batches of which everything is held back are passed over. Rejects with an ApiError. */
  async pullScanned(): Promise<readonly OutputEvent[] | undefined> {
    const { source, read } = this.#options;
    while (!this.#isOver) {
      const batch = await source.pull();
      if (batch === undefined) break;
      let scanned: readonly OutputEvent[];
      try {
        scanned = await read(batch);
      } catch (error) {
        this.#isOver = true;
        throw error;
      }
      this.#isOver = batch.some(({ type }) => type === "finish" || type === "failure");
      if (scanned.length > 0) return scanned;
    }
    return undefined;
  }
}
