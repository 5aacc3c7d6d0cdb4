/** A built-in provider as data, before the settings have said whether it is on and where it stands. */

import type { ProviderSetting } from "../../config/provider_setting.ts";
import type { HostTrait } from "../../protocols/canonical/endpoint_words.ts";
import type { WireId } from "../../protocols/canonical/item.ts";
import type { SpeechCapabilities, SpeechDialectId } from "../../protocols/canonical/speech.ts";
import type { EndpointQuirks, Model, Pricing, Provider } from "../endpoint.ts";

export interface ModelDefinition {
  readonly model: Model;
  readonly upstreamModel: string;
  readonly maxOutputTokens: number | null;
  /** See Endpoint. */
  readonly traits?: readonly HostTrait[];
  readonly pricing: Pricing | null;
  /** Capabilities of a model that speaks. */
  readonly speech?: SpeechCapabilities;
}

export interface ProviderDefinition {
  readonly id: string;
  readonly name: string;
  readonly wire: WireId;
  /** Where it is not what usually goes with the wire. */
  readonly speech?: SpeechDialectId;
  /** The variable of its key. */
  readonly keyEnv: string;
  readonly baseUrlEnv: string;
  /** Setting that switches it on. Servers of one's own need no key, so for them it is the address. */
  readonly on: "key" | "base_url";
  /** Used when only a key is given, and for `<…>_BASE_URL=on`. */
  readonly defaultBaseUrl?: string;
  readonly quirks: EndpointQuirks;
  /** See Provider. */
  readonly open: boolean;
  /** See Provider. */
  readonly reportsCost?: boolean;
  /** See Provider. */
  readonly isOwn?: boolean;
  readonly models: readonly ModelDefinition[];
}

/** A provider that the settings have switched on, and the models of it that are known. */
export interface CloudOffer {
  readonly provider: Provider;
  readonly models: readonly ModelDefinition[];
}

/** The variables that a row is switched on with, for `config.ts` to read and README to show. */
export function providerSettingsOf(row: ProviderDefinition): readonly ProviderSetting[] {
  const { name, keyEnv, baseUrlEnv, defaultBaseUrl } = row;
  if (row.on === "key") {
    const where = defaultBaseUrl === undefined ? "" : `, usually \`${defaultBaseUrl}\``;
    return [
      { name: keyEnv, description: `key of ${name}; switches it on`, kind: "key" },
      {
        name: baseUrlEnv,
        description: `address of ${name}${where}`,
        kind: "base_url",
        defaultValue: defaultBaseUrl,
        needs: [[keyEnv]],
      },
    ];
  }
  const short = defaultBaseUrl === undefined ? "" : ` (\`on\` means \`${defaultBaseUrl}\`)`;
  return [
    {
      name: baseUrlEnv,
      description: `address of ${name}; switches it on${short}`,
      kind: "base_url",
      defaultValue: defaultBaseUrl,
    },
    {
      name: keyEnv,
      description: `key of ${name}, where it asks for one`,
      kind: "key",
      needs: [[baseUrlEnv]],
    },
  ];
}

/** USD per million tokens → USD per token, both as decimal strings: `2.5` → `0.0000025`. */
export function perToken(perMillion: string): string {
  const [whole = "0", fraction = ""] = perMillion.split(".");
  const digits = whole.padStart(7, "0") + fraction;
  const point = digits.length - fraction.length - 6;
  const shifted = `${digits.slice(0, point)}.${digits.slice(point)}`;
  return shifted.replace(/\.?0+$/, "").replace(/^0+(?=\d)/, "") || "0";
}
