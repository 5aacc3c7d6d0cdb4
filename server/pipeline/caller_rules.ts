/** Rules of the operator for a caller's requests: guardrails, and provider keys of its own. Types only. */

import type { DefaultPlugin } from "../../shared/responses/plugins.ts";
import type { ProviderSort } from "../../shared/workspaces.ts";
import type { ContentFilters } from "./guardrails/content_filters.ts";
import type { ModelListing } from "../providers/catalog/catalog.ts";
import type { Endpoint } from "../providers/endpoint.ts";

/** Whose models zero data retention is demanded of: by the author in front of the model's name. */
export type ZdrGroup = "anthropic" | "openai" | "google" | "xai" | "other";

/**
 * All guardrails of a caller in one (specification, Guardrails): lists of what is allowed hold each for itself,
 * those of what is ignored add up, and what one demands is demanded. Names may be patterns, `vendor/*`.
 */
export interface GuardrailPolicy {
  readonly allowedModels: readonly (readonly string[])[];
  readonly ignoredModels: readonly string[];
  readonly allowedProviders: readonly (readonly string[])[];
  readonly ignoredProviders: readonly string[];
  readonly zdr: ReadonlySet<ZdrGroup>;
  /** Models whose provider may train on what they are sent are out: those that cost something, and those that do not. */
  readonly noPaidTraining: boolean;
  readonly noFreeTraining: boolean;
  /** Where an endpoint has to stand; each list holds for itself. None of them names the whole world. */
  readonly regions: readonly (readonly string[])[];
}

/** A key at a provider that the caller's workspace has brought (specification, BYOK). */
export interface ByokKey {
  readonly id: string;
  /** The provider's slug. */
  readonly provider: string;
  /** Asked after the gateway's own key at that provider, instead of before. */
  readonly fallback: boolean;
  /** For the models that it is for, the gateway's own key at that provider is not used. */
  readonly required: boolean;
  /** For no model at all. */
  readonly exclusive: boolean;
  /** Names or patterns; undefined: for every model. */
  readonly models: readonly string[] | undefined;
  /** The endpoint, called with this key: the same object each time. Undefined where the key cannot be used there. */
  readonly at: (endpoint: Endpoint) => Endpoint | undefined;
}

/** The workspace's values where a request says nothing. */
export interface WorkspaceDefaults {
  /** Model of requests that name none; `imageModel` is for those that ask for an image. */
  readonly textModel?: string;
  readonly imageModel?: string;
  readonly sort?: ProviderSort;
  /** Kinds of server tools that no request may name. */
  readonly disabledTools?: ReadonlySet<string>;
  /** Plugins of requests that do not name them, and those that no request can change. */
  readonly plugins?: readonly DefaultPlugin[];
}

/** Models at the providers that only a caller's keys reach. */
interface ByokModels {
  /** Endpoints of a model there. */
  readonly resolve: (model: string) => readonly Endpoint[];
  /** All that are listed. The same list for as long as the keys are the same. */
  readonly listings: readonly ModelListing[];
}

export interface CallerRules {
  readonly policy?: GuardrailPolicy;
  /** Content filters of all guardrails together. */
  readonly contentFilters?: ContentFilters;
  /** In the order in which they are to be asked; none that is disabled or not for this caller. */
  readonly byokKeys: readonly ByokKey[];
  /** Endpoints of a model at providers that these keys reach and the gateway by itself does not. */
  readonly byokModels?: ByokModels;
  readonly defaults?: WorkspaceDefaults;
  /** Only the built-in provider may serve the caller: its key is outside of budgets. */
  readonly builtInOnly?: boolean;
}
