/** Setting of the configuration file for the service that judges what requests send, `moderation` (docs/plugins.md). */

import * as z from "zod";
import { priceSchema } from "../../shared/models.ts";
import {
  hasModerationScores,
  moderationCategories,
  type ModerationWireId,
  moderationWires,
  SIMULATED_MODERATOR,
} from "../../shared/moderation.ts";
import { ConfigError } from "./config_error.ts";
import { isBaseUrl, normalizeBaseUrl } from "./setting_parsers.ts";
import { strictObject } from "./strict_object.ts";

const fields = strictObject({
  wire: z.enum(moderationWires),
  /** May be left out where the wire is that of a service with an address of its own. */
  base_url: z.string().refine(isBaseUrl, "an http or https address without user, query or fragment")
    .transform(normalizeBaseUrl).optional(),
  /** Name of the environment variable that holds the key. */
  api_key_env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of an environment variable").optional(),
  model: z.string().min(1).max(256).optional(),
  /** Name for errors and receipts. */
  name: z.string().min(1).max(200).optional(),
  /** By category: the score from which it counts; null: it never does. */
  thresholds: z.record(z.string().min(1).max(100), z.number().min(0).max(1).nullable()).default({}),
  /** The rules, where the wire is `policy`. */
  policy: z.string().min(1).max(100_000).optional(),
  fail: z.enum(["closed", "open"]).default("closed"),
  /** USD a call; nothing where it is left out. */
  price: priceSchema.optional(),
});

export const moderationSchema = fields.check(({ value, issues }) => {
  for (const { path, message } of faultsOf(value)) {
    issues.push({ code: "custom", input: value, path: [...path], message });
  }
});

type ModerationRow = z.output<typeof moderationSchema>;

interface FieldFault {
  readonly path: readonly string[];
  readonly message: string;
}

/** Services with an address, a variable and a model of their own. */
const services: { readonly [W in ModerationWireId]?: ServiceDefaults } = {
  openai: {
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    keyName: "OPENAI_API_KEY",
    model: "omni-moderation-latest",
  },
  mistral: {
    name: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keyName: "MISTRAL_API_KEY",
    model: "mistral-moderation-2603",
  },
};

interface ServiceDefaults {
  readonly name: string;
  readonly baseUrl: string;
  readonly keyName: string;
  readonly model: string;
}

function faultsOf(row: z.output<typeof fields>): readonly FieldFault[] {
  const { wire, base_url, model, policy, thresholds } = row;
  const isNamed = services[wire] !== undefined || isSimulated(row);
  const missing = [
    ...(base_url === undefined && !isNamed ? ["base_url"] : []),
    ...(model === undefined && services[wire] === undefined ? ["model"] : []),
    ...(policy === undefined && wire === "policy" ? ["policy"] : []),
  ];
  return [
    ...missing.map((field) => ({ path: [field], message: `where wire is ${wire}, it is needed` })),
    ...(policy !== undefined && wire !== "policy"
      ? [{ path: ["policy"], message: "only the wire policy has one" }]
      : []),
    ...(isSimulated(row) && wire !== "openai"
      ? [{ path: ["wire"], message: `${SIMULATED_MODERATOR} is asked as openai` }]
      : []),
    ...Object.entries(thresholds).flatMap(([category, score]) => thresholdFault(wire, { category, score })),
  ];
}

function thresholdFault(
  wire: ModerationWireId,
  { category, score }: { readonly category: string; readonly score: number | null },
): readonly FieldFault[] {
  const known = moderationCategories[wire];
  const path = ["thresholds", category];
  if (known !== undefined && !known.includes(category)) {
    return [{ path, message: `no category of ${wire}: these are ${known.join(", ")}` }];
  }
  if (score === null || hasModerationScores(wire)) return [];
  return [{ path, message: `${wire} gives no scores: only null is allowed` }];
}

/** The built-in provider's: it has no address that could be set. */
const isSimulated = ({ base_url, model }: Pick<z.output<typeof fields>, "base_url" | "model">): boolean =>
  base_url === undefined && model === SIMULATED_MODERATOR;

export interface ModerationSettings {
  readonly wire: ModerationWireId;
  /** Undefined for the simulated service of the built-in provider. */
  readonly baseUrl: string | undefined;
  readonly key: string | undefined;
  readonly model: string;
  readonly name: string;
  readonly thresholds: ReadonlyMap<string, number | null>;
  readonly policy: string | undefined;
  readonly fail: "closed" | "open";
  /** USD a call. */
  readonly price: string | undefined;
}

interface ModerationInput {
  /** Whether the built-in provider is there. */
  readonly local: boolean;
  readonly keyOf: (name: string) => string | undefined;
}

/** The variable that holds the service's key; undefined where it asks for none. No other host gets a service's usual key. */
export function moderationKeyName(row: ModerationRow): string | undefined {
  const own = services[row.wire];
  if (row.api_key_env !== undefined || own === undefined || isSimulated(row)) return row.api_key_env;
  const { base_url = own.baseUrl } = row;
  return new URL(base_url).origin === new URL(own.baseUrl).origin ? own.keyName : undefined;
}

/** Throws a ConfigError where a variable is not set, or what it needs is switched off. */
export function parseModeration(row: ModerationRow, { local, keyOf }: ModerationInput): ModerationSettings {
  const own = services[row.wire];
  const simulated = isSimulated(row);
  if (simulated && !local) {
    throw new ConfigError(`moderation.model is ${SIMULATED_MODERATOR}, and TOLLGATE_LOCAL is off`);
  }
  const keyName = moderationKeyName(row);
  const key = keyName === undefined ? undefined : keyOf(keyName);
  if (keyName !== undefined && key === undefined) {
    throw new ConfigError(`moderation.api_key_env is ${keyName}, which is not set`);
  }
  const { wire, base_url, model = own?.model ?? "", name, thresholds, policy, fail, price } = row;
  return {
    wire,
    baseUrl: simulated ? undefined : base_url ?? own?.baseUrl,
    key,
    model,
    name: name ?? (simulated ? "Built in (simulated)" : base_url === undefined ? own?.name ?? wire : model),
    thresholds: new Map(Object.entries(thresholds)),
    policy,
    fail,
    price,
  };
}
