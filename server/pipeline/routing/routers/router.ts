/** A router chooses models of the catalog for a request. It is pure: the same question has the same answer. */

import type { ApiError } from "../../../../shared/errors.ts";
import type { PluginId } from "../../../../shared/responses/plugins.ts";
import type { FusionPresets } from "../../../../shared/fields/fusion.ts";
import type { TaskType } from "../../../../shared/task_types.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { PluginOptions } from "../../plugins/plugin_use.ts";
import type { EndpointStats } from "../health/endpoint_stats.ts";
import type { Variant } from "../selection/model_names.ts";
import type { Evidence } from "./evidence.ts";
import type { ModelPool } from "./model_pool.ts";
import type { NamedRouter, RouterStrategy } from "./router_slugs.ts";

/** Finds the settings of a plugin as they hold for a request; undefined where nobody has set any. */
export type SettingsOf = <Id extends PluginId>(id: Id) => PluginOptions<Id> | undefined;

export interface RouterQuestion {
  readonly named: NamedRouter;
  readonly variants: ReadonlySet<Variant>;
  readonly request: ModelRequest;
  readonly settingsOf: SettingsOf;
  /** Undefined where the request could not be told. */
  readonly task: TaskType | undefined;
  readonly evidence: Evidence;
  readonly stats: EndpointStats;
  /** Models that may serve the request: all other filters have been there. */
  readonly pool: ModelPool;
  /** Id of the model of the pool that a name stands for; undefined: it may not serve the request, or nobody knows it. */
  readonly idOf: (name: string) => string | undefined;
  readonly fusionPresets: FusionPresets;
}

export interface RouterChoice {
  /** Ids of the models that are left, the best first. The first few are called, one after the other. */
  readonly ranked: readonly string[];
  /** Whether a model that an earlier turn was answered by could still be chosen, whatever it costs. */
  readonly mayPin: (model: string) => boolean;
  /** Figures of one of them, for metadata and explain. */
  readonly describe: (model: string) => JsonObject;
  /** Whether an endpoint of a chosen model is what the settings allow; absent: all are. */
  readonly mayServe?: (endpoint: Endpoint) => boolean;
  /** How the choice came about. */
  readonly data: JsonObject;
  /** The error where none is left; absent: the usual words. */
  readonly refusal?: ApiError;
}

export interface Router {
  readonly strategy: RouterStrategy;
  readonly choose: (question: RouterQuestion) => RouterChoice;
  /** It chooses by the task of the request, which a model may be asked for. */
  readonly readsTask?: true;
  /** The lists of patterns in its settings, which may be long. */
  readonly patterns?: (settingsOf: SettingsOf) => readonly (readonly string[])[];
  /** The order of its models says nothing: each request draws one of them, as endpoints are drawn that are equally good. */
  readonly isDraw?: true;
  /** Whether later turns stay with the model of the turn before where the settings say so. */
  readonly pins?: (settingsOf: SettingsOf) => boolean;
}
