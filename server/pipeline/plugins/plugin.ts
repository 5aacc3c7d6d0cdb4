/** The definition of a plugin: one file or folder of this folder each (docs/plugins.md). */

import type { ApiErrorKind } from "../../../shared/errors.ts";
import type { NanoUsd } from "../../../shared/money.ts";
import type { Plugin } from "../../../shared/responses/plugins.ts";
import type { CallerRules } from "../caller_rules.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { RouteCandidate } from "../routing/selection/endpoint_order.ts";
import type { Stage } from "../request_context.ts";
import type { ServerToolsDeps } from "../stages/tool_loop/server_tools_deps.ts";
import type { SettingsDeps } from "../settings_check.ts";
import type { Moderator } from "./moderation/moderator.ts";
import type { PluginUse } from "./plugin_use.ts";

/** The parts of the gateway that a plugin may use. */
export interface PluginDeps
  extends Pick<ServerToolsDeps, "clock" | "log" | "toolDeps" | "rulesOf" | "stop" | "limits"> {
  /** Judges what requests send; undefined where no service is set. */
  readonly moderator?: Moderator;
}

/** Something that the request, or the gateway, lacks for a plugin. */
export interface PluginFault {
  /** The field of the plugin that is wrong; absent: all of it. */
  readonly field?: string;
  /** Behind the plugin's name: `needs a search engine. Set …`. */
  readonly message: string;
  /** Fails the request with this kind, also where a default of the workspace names the plugin. Absent: 400 where the request names it, else a note. */
  readonly kind?: ApiErrorKind;
}

/** The parts by which plugins are judged, also those of a request that nobody sends. */
export interface PluginCheckDeps extends Pick<PluginDeps, "moderator"> {
  readonly toolDeps: SettingsDeps;
}

export interface PluginCheck {
  readonly request: ModelRequest;
  readonly deps: PluginCheckDeps;
}

/** The most that a plugin buys for a request before the model is called. */
export interface PluginPurchases {
  readonly cost: NanoUsd;
  /** The request goes on without it where the caller's limits do not allow it. */
  readonly isOptional: boolean;
}

export interface PluginExplained extends PluginCheck {
  readonly deps: PluginDeps;
  /** Endpoints that may serve the request, the first to be called in front; empty where there is none. */
  readonly candidates: readonly RouteCandidate[];
  /** The endpoint of the first of them. */
  readonly endpoint?: Endpoint;
  /** The caller has a spending limit. */
  readonly limited: boolean;
  /** Rules of the caller. */
  readonly rules?: CallerRules;
}

export interface PluginDefinition<Options extends Plugin = Plugin> {
  /**
   * The settings with which it runs for a request that does not name it; undefined: it does not. `endpoint`: where it is
   * known already.
   */
  impliedBy?(request: ModelRequest, endpoint?: Endpoint): Options | undefined;
  /** The settings with which a parameter of the request asks for it, before a default that switches it off. */
  askedBy?(request: ModelRequest): Options | undefined;
  /** Finds what it lacks, before anything is done for the request. */
  check?(use: PluginUse<Options>, input: PluginCheck): PluginFault | undefined;
  /** The candidates at which it can act, as its stage leaves them. Throws an ApiError where there is none. */
  choose?(use: PluginUse<Options>, input: PluginExplained): readonly RouteCandidate[];
  /** Absent, or undefined: it buys nothing, or nobody knows how much. Asks nobody. */
  purchases?(
    use: PluginUse<Options>,
    input: PluginExplained,
  ): PluginPurchases | undefined | Promise<PluginPurchases | undefined>;
  /** Acts on the request and its answer. Absent: a stage of its own does, by `plugins` of the context. */
  stage?(use: PluginUse<Options>, deps: PluginDeps): Stage;
  /** Says what it would do, as the end of a sentence that begins with "would". Asks nobody. */
  explain(use: PluginUse<Options>, input: PluginExplained): string | Promise<string>;
}
