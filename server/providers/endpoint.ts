/** A deployment of a model at a provider, as data. Nothing here fetches. */

import type { DeveloperRole, HostTrait, ReasoningReplay } from "../protocols/canonical/endpoint_words.ts";
import type { FactSource, PriceList } from "../../shared/models.ts";
import type { WireId } from "../protocols/canonical/item.ts";
import type { SpeechCapabilities, SpeechDialectId } from "../protocols/canonical/speech.ts";
import type { Credential } from "./credential.ts";

/** A deployment's own places; `{model}` stands for the model's name at the provider. */
export interface DeploymentPaths {
  /** Instead of the wire's path, and for streams where they have a path of their own. */
  readonly path?: string;
  readonly streamPath?: string;
  /** Where tokens are counted, where `path` is not for that. */
  readonly countPath?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** Prices are decimal strings in USD per unit, as the catalog and the configuration file write them. */
export type Pricing = PriceList;

/** Facts of a deployment that a wire's renderer must know (see protocols/wire.ts, EndpointTraits). */
export interface EndpointQuirks {
  readonly passKeys?: readonly string[];
  readonly omit?: readonly string[];
  readonly rename?: Readonly<Record<string, string>>;
  readonly developerRole?: DeveloperRole;
  /** See EndpointTraits. */
  readonly reasoningReplay?: ReasoningReplay;
  /** See EndpointTraits. */
  readonly efforts?: Readonly<Record<string, string>>;
  /** Whereby it takes less than its wire, or wants more. */
  readonly traits?: readonly HostTrait[];
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** The same two of requests for speech: keys that it refuses, and keys that are added. */
  readonly speechOmit?: readonly string[];
  readonly speechBody?: Readonly<Record<string, unknown>>;
  /**
   * Its words for the service tiers it has (`priority` → `priority`); others are not asked for, with a note.
   * Absent: the wire's own words for all of them.
   */
  readonly serviceTiers?: Readonly<Record<string, string>>;
}

/** Policy of a provider for what callers send; unknown where it is absent. */
export interface DataPolicy {
  /** Whether models may be trained on it. */
  readonly training: boolean;
  /** Whether nothing of it is kept (zero data retention). */
  readonly zdr: boolean;
}

export interface Provider {
  /** Slug, as `provider.order` names it. */
  readonly id: string;
  readonly name: string;
  readonly wire: WireId;
  /** How it is asked to speak; absent: it cannot be. */
  readonly speech?: SpeechDialectId;
  /** Without a trailing slash; the wire's path is appended. */
  readonly baseUrl: string;
  /** Sent with every call; holds the credential, so it is never logged or shown. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the gateway has several keys for it: by the names of their variables, what is sent instead of `headers`. */
  readonly keys?: readonly { readonly name: string; readonly headers: Provider["headers"] }[];
  /** Where calls have to be authorised one by one, or with a token that has to be minted. */
  readonly credential?: Credential;
  /** Where it differs from the wire's own path. */
  readonly address?: DeploymentPaths;
  readonly quirks: EndpointQuirks;
  /** True when `<id>/<anything>` may be sent on as `<anything>` (local servers, whose models we cannot know). */
  readonly open: boolean;
  readonly dataPolicy?: DataPolicy;
  /** A server of the operator's own, which may take longer to begin. */
  readonly isOwn?: boolean;
  /** Until the first byte of a stream, where its row says so. */
  readonly firstByteMs?: number;
  /** The gateway has no key for it: it is called with keys that workspaces bring, and without one not at all. */
  readonly isKeyless?: boolean;
  /** It resells what others serve and says with each answer what it charges: calls are settled by that. */
  readonly reportsCost?: boolean;
  /** It is told of the trace that a call belongs to. */
  readonly takesTrace?: boolean;
  /** Runs inside the gateway and costs nobody anything, whatever its price list says. */
  readonly builtIn?: true;
}

/** Modalities of models that nobody has stated: text is shown, and anything may be tried. Known by identity. */
export const assumedModalities: readonly string[] = ["text"];

/** Outputs that a request of their own asks for, and no conversation has. */
export const isApart = (kind: string): boolean => kind === "speech" || kind === "embeddings";

export interface Model {
  /** `author/slug`, as callers name it. */
  readonly id: string;
  readonly name: string;
  /** Unix seconds. */
  readonly created: number;
  readonly description?: string;
  readonly contextLength: number | null;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly supportedParameters: readonly string[];
  readonly tokenizer?: string;
  /** Whether other models may be trained on what it writes. */
  readonly distillable?: boolean;
  /** Not listed by GET /models. */
  readonly hidden: boolean;
}

export interface Endpoint {
  /** `<provider>|<model>|<upstream model>`; names the endpoint in health and logs. */
  readonly id: string;
  readonly model: Model;
  readonly provider: Provider;
  readonly upstreamModel: string;
  readonly maxOutputTokens: number | null;
  /** Traits of the model, besides those of its provider and of its family. */
  readonly traits?: readonly HostTrait[];
  /** Null: no price is known. */
  readonly pricing: Pricing | null;
  /** Where the price is from; absent for one that the operator or this version states. */
  readonly pricedBy?: FactSource;
  /** Capabilities of a model that speaks. */
  readonly speech?: SpeechCapabilities;
  /** As `provider.quantizations` names it. */
  readonly quantization?: string;
  /** Where it differs from its provider's. */
  readonly dataPolicy?: DataPolicy;
  /** Where it stands. */
  readonly region?: string;
  /** Figures by name, more is better; `exacto`: how well it calls tools. */
  readonly scores?: Readonly<Record<string, number>>;
  /** The name is the caller's: an open provider may or may not serve it. */
  readonly isAssumed?: boolean;
  /** Called with a key of the caller's own, who is charged by the provider and not by us. */
  readonly byok?: boolean;
  /** That key: its record's id, and where it stands among the others at its provider. */
  readonly byokKey?: { readonly id: string; readonly fallback: boolean; readonly order: number };
}
