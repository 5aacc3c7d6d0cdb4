/** Puts together the one call of a provider's test: an ordinary request through all stages, of a key of the gateway's own. */

import { ApiError } from "../../../../shared/errors.ts";
import { TEST_OUTPUT_TOKENS } from "../../../../shared/management/gateway/providers.ts";
import type { Runtime } from "../../../runtime.ts";
import type {
  CallProviderOnce,
  ProviderCall,
  ProviderCallResult,
} from "../../../management/providers/provider_caller.ts";
import { OneShotSignal } from "../../../one_shot_signal.ts";
import type { Handler, RequestContext } from "../../../pipeline/request_context.ts";
import { RequestRecord } from "../../../pipeline/request_record.ts";
import { parseModelRequest } from "../guardrails.ts";

/** How long a test waits for the end of the answer. */
const TEST_MS = 60_000;

interface ProviderCallDeps {
  readonly runtime: Pick<Runtime, "clock" | "id">;
  readonly handler: Handler;
}

export function createProviderCall({ runtime, handler }: ProviderCallDeps): CallProviderOnce {
  return async (call) => {
    const { clock } = runtime;
    const clientDisconnect = new OneShotSignal();
    const context = contextOf(call, { runtime, clientDisconnect });
    const cancel = clock.after(TEST_MS, () => clientDisconnect.fire());
    try {
      const answer = await readAnswer(await handler(context));
      return resultOf(context, { answer, clock });
    } catch (error) {
      if (!(error instanceof ApiError) || context.record.attempts.length === 0) throw error;
      const words = clientDisconnect.fired
        ? `No answer came within ${TEST_MS / 1_000} seconds.`
        : error.message;
      return resultOf(context, { error: words, clock });
    } finally {
      cancel();
    }
  };
}

interface ContextInput {
  readonly runtime: ProviderCallDeps["runtime"];
  readonly clientDisconnect: OneShotSignal;
}

function contextOf(
  { caller, provider, model, requestId }: ProviderCall,
  { runtime, clientDisconnect }: ContextInput,
): RequestContext {
  const record = new RequestRecord();
  return {
    request: parseModelRequest("responses", {
      model,
      input: "Say hello.",
      max_output_tokens: TEST_OUTPUT_TOKENS,
      provider: { only: [provider], allow_fallbacks: false },
    }),
    caller,
    ids: { generation: `gen-${runtime.id()}`, request: requestId },
    clientDisconnect,
    record,
    call: record.first,
    startedAt: runtime.clock.monotonic(),
    origin: { api: "responses" },
  };
}

/** Throws an ApiError for an answer that failed. */
async function readAnswer({ source }: Awaited<ReturnType<Handler>>): Promise<string> {
  let text = "";
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    for (const event of batch) {
      if (event.type === "text") text += event.delta;
      if (event.type === "failure") throw new ApiError(event.failure.kind, event.failure.message);
    }
  }
  return text;
}

interface CallEnd {
  readonly answer?: string;
  readonly error?: string;
  readonly clock: Runtime["clock"];
}

function resultOf(
  { record, ids, startedAt }: RequestContext,
  { answer, error, clock }: CallEnd,
): ProviderCallResult {
  const last = record.attempts.at(-1);
  if (last === undefined) throw new Error("Cannot tell of a call: no provider was asked");
  const { endpoint, status, latencyMs } = last;
  return {
    endpointId: endpoint.id,
    provider: endpoint.provider.id,
    model: endpoint.model.id,
    status: status === 0 ? undefined : status,
    latencyMs,
    totalMs: clock.monotonic() - startedAt,
    answer,
    error,
    receiptId: record.receiptId ?? ids.generation,
  };
}
