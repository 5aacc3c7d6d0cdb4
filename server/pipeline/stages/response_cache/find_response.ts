/**
 * Response cache: looks for the response to a request behind everything that reads, changes or refuses it, so that a
 * hit meets the rules that a call would, and is read by the guardrails of now on its way up (docs/response-cache.md).
 * Whether its endpoint may still serve the request is up to `route`.
 */

import { type RunDeps, runWork } from "../../../../shared/util/run_work.ts";
import type { FinishEvent, OutputEvent } from "../../../protocols/canonical/event.ts";
import { mapPulled } from "../../../protocols/stream/source.ts";
import type { CallerRules } from "../../caller_rules.ts";
import type { CacheUse } from "../../response_cache/cache_use.ts";
import { digestOf } from "../../response_cache/digest.ts";
import type { KeptResponse, ResponseCache, ResponseDraft } from "../../response_cache/response_cache.ts";
import type {
  Caller,
  Handler,
  KeptAnswer,
  ModelResponse,
  RequestContext,
  Stage,
} from "../../request_context.ts";
import { demandsNoRetention, isCacheable } from "./is_cacheable.ts";

export interface FindResponseDeps extends Pick<RunDeps, "clock" | "pause"> {
  readonly responseCache: ResponseCache;
  readonly rulesOf?: (caller: Caller) => CallerRules | Promise<CallerRules>;
}

export function findResponse(deps: FindResponseDeps): Stage {
  const versions = new RulesVersions();
  return (next) => (context) => {
    const { cacheUse } = context;
    return cacheUse === undefined || !isCacheable(context)
      ? next(context)
      : answerFromCache({ deps, versions, use: cacheUse, next, context });
  };
}

interface Lookup {
  readonly deps: FindResponseDeps;
  readonly versions: RulesVersions;
  readonly use: CacheUse;
  readonly next: Handler;
  readonly context: RequestContext;
}

async function answerFromCache(lookup: Lookup): Promise<ModelResponse> {
  const { deps: { responseCache, rulesOf }, use, next, context } = lookup;
  const rules = await rulesOf?.(context.caller);
  const key = demandsNoRetention(rules) ? undefined : await keyOf(lookup, rules);
  if (key === undefined) return await next(context);
  const { ttlSeconds, clear } = use.preference;
  if (clear) responseCache.drop(key);
  const found = responseCache.find(key);
  // Before anything is called: a reply's headers may leave before its answer begins.
  use.outcome = { type: "miss", ttlSeconds };
  const response = await next(
    found === undefined ? context : { ...context, kept: keptAnswer(found, { use, context }) },
  );
  if (isHit(use)) return response;
  const { ids, record } = context;
  const origin = { sourceId: ids.generation, endpoint: response.endpoint, notes: record.callNotes };
  const draft = responseCache.draft(origin, { key, ttlSeconds });
  use.collect(draft);
  return collectEvents(response, draft);
}

const isHit = ({ outcome }: CacheUse): boolean => outcome?.type === "hit";

/**
 * Everything that the response may depend on: the caller, its rules and preset as they are, and the request as it is
 * sent. Undefined where it cannot be told.
 */
async function keyOf(
  { deps, versions, context }: Lookup,
  rules: CallerRules | undefined,
): Promise<string | undefined> {
  const { caller, request, origin, preset, runDepth } = context;
  const { keyHash, workspaceId } = caller;
  const externalUser = caller.kind === "api" ? caller.externalUser : undefined;
  const whose = { keyHash, workspaceId, externalUser, rules: versions.of(rules) };
  const named = preset && { id: preset.id, version: preset.version };
  return await runWork(
    digestOf({ whose, api: origin?.api, preset: named, runDepth, request }),
    { clock: deps.clock, pause: deps.pause },
  );
}

/** Numbers of callers' rules: another one after every change of guardrails, workspaces and provider keys. */
class RulesVersions {
  readonly #known = new WeakMap<CallerRules, number>();
  #last = 0;

  of(rules: CallerRules | undefined): number {
    if (rules === undefined) return 0;
    const known = this.#known.get(rules);
    if (known !== undefined) return known;
    this.#known.set(rules, ++this.#last);
    return this.#last;
  }
}

function keptAnswer(
  found: KeptResponse,
  { use, context }: Pick<Lookup, "use" | "context">,
): KeptAnswer {
  const { sourceId, endpoint, notes, ageSeconds, secondsLeft } = found;
  const give = (): ModelResponse => {
    use.outcome = { type: "hit", sourceId, endpoint, ageSeconds, ttlSeconds: secondsLeft };
    context.record.callNotes = notes;
    return { endpoint, source: found.source() };
  };
  return { endpoint, give };
}

function collectEvents({ endpoint, source }: ModelResponse, draft: ResponseDraft): ModelResponse {
  const see = (batch: readonly OutputEvent[] | undefined) => {
    if (batch !== undefined) draft.add(batch.map(withoutUsage));
    return batch;
  };
  const cancel = (reason: string) => source.cancel(reason);
  return { endpoint, source: { pull: () => mapPulled(source.pull(), see), cancel } };
}

const nothing: NonNullable<FinishEvent["usage"]> = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};

/** The event as it is told again: nothing is used then. */
function withoutUsage(event: OutputEvent): OutputEvent {
  if (event.type === "finish") return { ...event, usage: nothing };
  return event.type === "begin" ? { ...event, usage: undefined } : event;
}
