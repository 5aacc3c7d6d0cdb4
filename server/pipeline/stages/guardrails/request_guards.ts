/**
 * The content filters of a request: each of its calls is read with those that the caller's guardrails have by then. A
 * response that has begun keeps those with which it began.
 */

import type { CallerRules } from "../../caller_rules.ts";
import type { AskExternal } from "../../ask_external.ts";
import type { Caller, RequestContext } from "../../request_context.ts";
import type { RequestGuard, RequestGuards } from "../../request_context.ts";
import type { ContentFilters, FilterView } from "../../guardrails/content_filters.ts";
import { MaskMap } from "../../guardrails/mask_map.ts";
import { ContentGuard, type ContentGuardDeps } from "./content_guard.ts";
import { ExternalGuard } from "./external_guard.ts";
import { ExternalJudge } from "./external_judge.ts";
import { FilterFindings } from "./filter_findings.ts";

export interface RequestGuardsDeps extends ContentGuardDeps {
  /** Absent where no service can be asked. */
  readonly askExternal?: AskExternal;
  readonly rulesOf?: (caller: Caller) => CallerRules | Promise<CallerRules>;
}

type RequestGuardsOptions = Pick<RequestContext, "caller" | "record" | "request" | "clientDisconnect">;

export class CallerGuards implements RequestGuards {
  latest: RequestGuard | undefined;
  /** Kept while guardrails change: the client gets back what was masked before. */
  readonly masks = new MaskMap();
  readonly #deps: RequestGuardsDeps;
  readonly #options: RequestGuardsOptions;
  #findings: FilterFindings | undefined;
  #filters: ContentFilters | undefined;

  constructor(deps: RequestGuardsDeps, options: RequestGuardsOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  current(): RequestGuard | undefined | Promise<RequestGuard | undefined> {
    const rules = this.#deps.rulesOf?.(this.#options.caller);
    return rules instanceof Promise
      ? rules.then(({ contentFilters }) => this.#guardWith(contentFilters))
      : this.#guardWith(rules?.contentFilters);
  }

  /** The same one while the filters are the same: it knows what it has read. */
  #guardWith(filters: ContentFilters | undefined): RequestGuard | undefined {
    if (!areSame(filters, this.#filters)) {
      const findings = this.#findings ??= new FilterFindings(this.#options.record);
      this.latest = filters && this.#withServices(filters, findings);
    }
    this.#filters = filters;
    return this.latest;
  }

  #withServices(filters: ContentFilters, findings: FilterFindings): RequestGuard {
    const { caller, clientDisconnect, request: { model } } = this.#options;
    const deps = { ...this.#deps, isLeft: () => clientDisconnect.fired };
    const inner = new ContentGuard(deps, { filters, findings, masks: this.masks });
    const { askExternal = cannotAsk } = this.#deps;
    if (filters.external.length === 0) return inner;
    const judge = new ExternalJudge({
      services: filters.external,
      ask: askExternal,
      caller,
      signal: clientDisconnect,
      findings,
      deps: this.#deps,
    });
    return new ExternalGuard({ inner, judge, model });
  }
}

const cannotAsk: AskExternal = () => Promise.reject(new Error("No service can be asked here"));

/** Rules are read anew after any change, so the same filters may come as other objects. */
function areSame(one: ContentFilters | undefined, other: ContentFilters | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return one === other;
  return JSON.stringify(one.external) === JSON.stringify(other.external) &&
    areSameViews(one.users, other.users) && areSameViews(one.others, other.others);
}

function areSameViews({ filters: some }: FilterView, { filters: others }: FilterView): boolean {
  return some.length === others.length && some.every(({ filter, exceptions, members }, position) => {
    const other = others[position];
    return filter === other?.filter && exceptions === other.exceptions &&
      JSON.stringify(members) === JSON.stringify(other.members);
  });
}
