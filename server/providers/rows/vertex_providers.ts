/**
 * Vertex AI: Gemini models on their own wire, and Claude on the Messages wire. Claude costs there what Anthropic charges
 * itself, and a tenth more in a region (Google's price list, November 2026).
 */

import * as z from "zod";
import type { PriceList, RatePrices } from "../../../shared/models.ts";
import { tryParseJson } from "../../../shared/util/json.ts";
import type { ProviderSetting } from "../../config/provider_setting.ts";
import { anthropic as anthropicRow } from "./anthropic.ts";
import type { DeploymentPaths, Provider } from "../endpoint.ts";
import { geminiProvider } from "./gemini.ts";
import type { CloudOffer, ModelDefinition } from "./provider_row.ts";

type Env = ReadonlyMap<string, string>;

/** A key file of Google Cloud, as far as it is needed. */
const keyFile = z.object({
  client_email: z.string().min(3),
  private_key: z.string().startsWith("-----BEGIN"),
  private_key_id: z.string().optional(),
  project_id: z.string().optional(),
  token_uri: z.url({ protocol: /^https?$/ }).default("https://oauth2.googleapis.com/token"),
});

const serviceAccount = [["VERTEX_SERVICE_ACCOUNT"]];

export const vertexSettings: readonly ProviderSetting[] = [
  {
    name: "VERTEX_SERVICE_ACCOUNT",
    description:
      "key of a Google Cloud service account, the JSON or the path of its file; switches on `google-vertex/<model>` and, for Claude, `google-vertex-anthropic/<model>`",
    kind: "document",
    check: (text) => readKeyFile(text) === undefined ? "the JSON of a service account's key" : undefined,
  },
  {
    name: "VERTEX_PROJECT",
    description: "the project, usually the service account's own",
    kind: "text",
    needs: serviceAccount,
  },
  {
    name: "VERTEX_LOCATION",
    description: "the region, usually `global`",
    kind: "text",
    needs: serviceAccount,
  },
  {
    name: "VERTEX_BASE_URL",
    description: "address of Vertex AI, usually that of the region",
    kind: "base_url",
    needs: serviceAccount,
  },
];

function readKeyFile(text: string): z.output<typeof keyFile> | undefined {
  return keyFile.safeParse(tryParseJson(text)).data;
}

const vertexHost = (location: string) =>
  `https://${location === "global" ? "" : `${location}-`}aiplatform.googleapis.com/v1`;

const claudeAtVertex: DeploymentPaths = {
  path: "/models/{model}:rawPredict",
  streamPath: "/models/{model}:streamRawPredict",
  countPath: "/models/count-tokens:rawPredict",
};

const GLOBAL = "global";

/** Where a project stands, and how it signs in. */
interface Site {
  readonly location: string;
  readonly place: string;
  readonly credential: Provider["credential"];
}

function siteOf(env: Env): Site | undefined {
  const account = readKeyFile(env.get("VERTEX_SERVICE_ACCOUNT") ?? "");
  const project = env.get("VERTEX_PROJECT") ?? account?.project_id;
  if (account === undefined || project === undefined) return undefined;
  const location = env.get("VERTEX_LOCATION") ?? GLOBAL;
  const base = env.get("VERTEX_BASE_URL") ?? vertexHost(location);
  return {
    location,
    place: `${base}/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}`,
    credential: {
      type: "service_account",
      tokenUrl: account.token_uri,
      clientEmail: account.client_email,
      privateKey: account.private_key,
      keyId: account.private_key_id,
      scope: "https://www.googleapis.com/auth/cloud-platform",
    },
  };
}

export function vertexOffers(env: Env): readonly CloudOffer[] {
  const site = siteOf(env);
  if (site === undefined) return [];
  const { place, credential, location } = site;
  const google: Provider = {
    id: "google-vertex",
    name: "Vertex AI",
    wire: "gemini",
    speech: "gemini",
    baseUrl: `${place}/publishers/google`,
    headers: {},
    credential,
    quirks: { traits: ["no_call_ids"] },
    open: true,
  };
  const anthropic: Provider = {
    ...google,
    id: CLAUDE,
    name: "Vertex AI (Anthropic)",
    wire: "messages",
    speech: undefined,
    baseUrl: `${place}/publishers/anthropic`,
    address: claudeAtVertex,
    // The model stands in the address, and the version of the API in the body.
    quirks: {
      omit: ["model"],
      extraBody: { anthropic_version: "vertex-2023-10-16" },
      traits: ["block_cache_marks", "vertex_betas"],
    },
  };
  const models = geminiProvider.models.filter(({ upstreamModel }) => upstreamModel.startsWith("gemini-"));
  return [{ provider: google, models }, { provider: anthropic, models: claudeModels(location) }];
}

const CLAUDE = "google-vertex-anthropic";

/** Models of before 2026 have their day in their name. */
const days: ReadonlyMap<string, string> = new Map([
  ["claude-haiku-4-5", "20251001"],
  ["claude-opus-4-5", "20251101"],
  ["claude-sonnet-4-5", "20250929"],
]);

/** Under Anthropic's names; the catalog finds them by each name that Vertex AI has for them. */
function claudeModels(location: string): readonly ModelDefinition[] {
  return anthropicRow.models.map((row) => {
    const { upstreamModel: plain } = row;
    const day = days.get(plain);
    const upstreamModel = day === undefined ? plain : `${plain}@${day}`;
    const pricing = row.pricing === null || location === GLOBAL ? row.pricing : regional(row.pricing);
    return { ...row, upstreamModel, pricing };
  });
}

const rates = ["prompt", "completion", "inputCacheRead", "inputCacheWrite", "inputCacheWrite1h"] as const;

const regional = (prices: PriceList): PriceList => ({
  ...prices,
  ...raised(prices),
  ...(prices.overrides && { overrides: prices.overrides.map((one) => ({ ...one, ...raised(one) })) }),
});

const raised = (prices: RatePrices): RatePrices =>
  Object.fromEntries(
    rates.flatMap((rate) => prices[rate] === undefined ? [] : [[rate, tenthMore(prices[rate])]]),
  );

/** `0.0025` → `0.00275`. */
function tenthMore(price: string): string {
  const [whole = "0", fraction = ""] = price.split(".");
  const digits = String(BigInt(whole + fraction) * 11n).padStart(fraction.length + 2, "0");
  const point = digits.length - fraction.length - 1;
  return `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, "");
}
