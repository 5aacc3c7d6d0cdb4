/** A built-in provider as data, before the settings have said whether it is on and where it stands. */

import type { ProviderSetting } from "../config/config.ts";
import type { WireId } from "../canonical/item.ts";
import type { SpeechDialectId, SpeechTraits } from "../canonical/speech.ts";
import type { Model, Pricing, Quirks } from "./endpoint.ts";

export interface ModelData {
  readonly model: Model;
  readonly upstreamModel: string;
  readonly maxOutputTokens: number | null;
  readonly pricing: Pricing | null;
  /** Of a model that speaks. */
  readonly speech?: SpeechTraits;
}

export interface BuiltInRow {
  readonly id: string;
  readonly name: string;
  readonly wire: WireId;
  /** Where it is not what usually goes with the wire. */
  readonly speech?: SpeechDialectId;
  /** The variable of its key. */
  readonly keyEnv: string;
  readonly baseUrlEnv: string;
  /** What switches it on. Servers of one's own need no key, so for them it is the address. */
  readonly on: "key" | "base_url";
  /** Used when only a key is given, and for `<…>_BASE_URL=on`. */
  readonly usualBaseUrl?: string;
  readonly quirks: Quirks;
  /** See Provider. */
  readonly open: boolean;
  /** See Provider. */
  readonly reportsCost?: boolean;
  readonly models: readonly ModelData[];
}

/** The variables that a row is switched on with, for `config.ts` to read and README to show. */
export function settingsOf(row: BuiltInRow): readonly ProviderSetting[] {
  const { name, keyEnv, baseUrlEnv, usualBaseUrl: usual } = row;
  if (row.on === "key") {
    const where = usual === undefined ? "" : `, usually \`${usual}\``;
    return [
      { name: keyEnv, meaning: `key of ${name}; switches it on`, kind: "key" },
      { name: baseUrlEnv, meaning: `address of ${name}${where}`, kind: "base_url", usual },
    ];
  }
  const short = usual === undefined ? "" : ` (\`on\` means \`${usual}\`)`;
  return [
    { name: baseUrlEnv, meaning: `address of ${name}; switches it on${short}`, kind: "base_url", usual },
    { name: keyEnv, meaning: `key of ${name}, where it asks for one`, kind: "key" },
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
