/** Holders of each trait: docs/providers.md prints this list as a table, and traits_test.ts goes over it. */

import { type HostTrait, hostTraits } from "../../server/protocols/canonical/endpoint_words.ts";
import { type WireId, wireIds } from "../../server/protocols/canonical/item.ts";
import { wireTraits } from "../../server/protocols/common/outbound/traits/wire_traits.ts";
import { type FamilyTraits, familyTraits } from "../../server/providers/family_traits.ts";
import type { TraitRule } from "../../server/protocols/common/outbound/traits/trait_rule.ts";
import { traitRules } from "../../server/protocols/common/outbound/traits/trait_rules.ts";
import { cloudOffers } from "../../server/providers/rows/cloud_providers.ts";
import { anthropic } from "../../server/providers/rows/anthropic.ts";
import { compatibleServers } from "../../server/providers/rows/compatible_servers.ts";
import type { EndpointQuirks } from "../../server/providers/endpoint.ts";
import { geminiProvider } from "../../server/providers/rows/gemini.ts";
import { hostedProviders } from "../../server/providers/rows/hosted_providers.ts";
import { openaiProvider } from "../../server/providers/rows/openai.ts";

export interface Host {
  readonly id: string;
  readonly name: string;
  readonly wire: WireId;
  readonly quirks: EndpointQuirks;
}

const account = JSON.stringify({ client_email: "a@b.c", private_key: "-----BEGIN", project_id: "p" });

const clouds = cloudOffers(
  new Map([
    ["VERTEX_SERVICE_ACCOUNT", account],
    ["BEDROCK_REGION", "eu-west-1"],
    ["AZURE_OPENAI_ENDPOINT", "https://name.openai.azure.com"],
  ]),
).map(({ provider }) => provider).filter(({ id }) => id !== "azure-tts");

/** Every built-in host that writes text. */
export const hosts: readonly Host[] = [
  openaiProvider,
  anthropic,
  geminiProvider,
  ...clouds,
  ...hostedProviders,
  ...compatibleServers,
];

/** Where a trait holds without being set. */
export type Holder =
  | { readonly type: "host"; readonly host: Host }
  | { readonly type: "wire"; readonly wire: WireId }
  | { readonly type: "family"; readonly family: FamilyTraits };

export interface TraitHolders {
  readonly trait: HostTrait;
  readonly rule: TraitRule;
  readonly holders: readonly Holder[];
}

export const traitHolders: readonly TraitHolders[] = hostTraits.map((trait) => ({
  trait,
  rule: traitRules[trait],
  holders: [
    ...wireIds.filter((wire) => wireTraits[wire].includes(trait)).map((
      wire,
    ) => ({ type: "wire", wire } as const)),
    ...familyTraits.filter(({ traits }) => traits.includes(trait))
      .map((family) => ({ type: "family", family } as const)),
    ...hosts.filter(({ quirks }) => quirks.traits?.includes(trait)).map((
      host,
    ) => ({ type: "host", host } as const)),
  ],
}));

/** The wires on which a rule does something. */
export const wiresOf = (rule: TraitRule): readonly WireId[] =>
  rule.edits === "request" ? wireIds : rule.wires;
