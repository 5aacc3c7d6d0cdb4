/** `POST /providers/{slug}/test`. */

import { ApiError } from "../../../shared/errors.ts";
import type { providerApi, ProviderTest } from "../../../shared/management/gateway/providers.ts";
import { truncate } from "../../../shared/util/text.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { OperationDeps } from "../core/management_deps.ts";
import { type OperationHandlers, type OperationInput, pathParameter } from "../core/operation.ts";
import { auditCaller } from "../core/write.ts";
import { systemKey } from "../system_keys/system_keys.ts";
import type { ProviderCallResult } from "./provider_caller.ts";

type Api = typeof providerApi;

const VERB = "test provider";

export function providerOperations(deps: OperationDeps): OperationHandlers<Api> {
  return { "providers.test": async (input) => ({ data: await testProvider(deps, input) }) };
}

async function testProvider(
  deps: OperationDeps,
  input: OperationInput<Api["providers.test"]>,
): Promise<ProviderTest> {
  const { body: { model, workspace_id: workspaceId }, requestId } = input;
  const provider = pathParameter(input, "slug");
  if (deps.providerFault(provider) !== undefined && !deps.isProviderOn(provider)) {
    throw new ApiError("not_found", `There is no provider ${formatValue(provider)} here.`);
  }
  const key = await systemKey(deps, { purpose: "provider_test", workspaceId, input, verb: VERB });
  const caller = { kind: "api", keyHash: key.hash, workspaceId: key.workspace_id } as const;
  const result = await deps.callProviderOnce({ caller, provider, model, requestId });
  await auditTest(deps, { input, result });
  return serializeTest(result);
}

interface Tested {
  readonly input: OperationInput<Api["providers.test"]>;
  readonly result: ProviderCallResult;
}

async function auditTest({ store, audit }: OperationDeps, { input, result }: Tested): Promise<void> {
  const { provider, model, status = null, receiptId } = result;
  const change = {
    ...auditCaller(input),
    operation: "providers.test",
    subject: { type: "provider", id: provider },
    before: null,
    after: { model, status, receipt_id: receiptId },
  };
  await store.commit({ puts: [audit.put(change)] });
}

const ANSWER_CHARS = 500;

function serializeTest(result: ProviderCallResult): ProviderTest {
  const { provider, model, endpointId, status = null, latencyMs, totalMs, answer, error, receiptId } = result;
  return {
    ok: answer !== undefined,
    provider,
    model,
    endpoint_id: endpointId,
    status,
    latency_ms: toTenths(latencyMs),
    total_ms: toTenths(totalMs),
    answer: answer === undefined ? null : truncate(answer, ANSWER_CHARS),
    error: error ?? null,
    receipt_id: receiptId,
  };
}

/** A clock's further digits mean nothing. */
const toTenths = (ms: number): number => Math.round(ms * 10) / 10;
