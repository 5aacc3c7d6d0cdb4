/** Puts together the services that read documents outside of the gateway, and what keeps their texts. */

import {
  CLOUDFLARE_ACCOUNT_ID,
  CLOUDFLARE_API_TOKEN,
  CLOUDFLARE_BASE_URL,
} from "../../config/search_settings.ts";
import type { Config } from "../../config/config.ts";
import { createByokProviders, createProviders } from "../../providers/mod.ts";
import { assumedModalities, type Endpoint, type Provider } from "../../providers/endpoint.ts";
import { KeptValues } from "../../storage/blobs/kept_values.ts";
import {
  type CloudflareMarkdown,
  createCloudflareMarkdown,
} from "../../web/documents/cloudflare_markdown.ts";
import type { DocumentServices } from "../../web/documents/document_services.ts";
import type { KeptTexts } from "../../web/documents/kept_texts.ts";
import { createOcr } from "../../web/documents/mistral_ocr.ts";
import type { ServiceDeps } from "../../web/documents/service_exchange.ts";
import type { CompositionParts } from "../composition_parts.ts";

export type DocumentParts = Pick<CompositionParts, "config" | "runtime" | "transport" | "store" | "blobs">;

export function createDocumentServices(parts: DocumentParts): DocumentServices {
  const { config, runtime: { clock, log }, transport } = parts;
  const deps: ServiceDeps = { transport, clock, log };
  return {
    ocr: createOcr(deps, ocrProvider(config)),
    cloudflare: cloudflareOf(config, deps),
    kept: keptTexts(parts),
  };
}

const MISTRAL = "mistral";

/** With the gateway's key, else without one, for those that workspaces bring. */
function ocrProvider(config: Config) {
  const find = ({ providers }: { readonly providers: readonly Provider[] }) =>
    providers.find(({ id }) => id === MISTRAL);
  const own = find(createProviders(config));
  const provider = own ?? find(createByokProviders(config));
  return { endpoint: provider && ocrEndpoint(provider), hasKey: own !== undefined };
}

/** A place for the keys that workspaces bring: it is no model that anybody could name. */
const ocrEndpoint = (provider: Provider): Endpoint => ({
  id: `${MISTRAL}|ocr`,
  model: {
    id: "mistral-ocr",
    name: "Mistral OCR",
    created: 0,
    contextLength: null,
    inputModalities: assumedModalities,
    outputModalities: assumedModalities,
    supportedParameters: [],
    hidden: true,
  },
  provider,
  upstreamModel: "mistral-ocr",
  maxOutputTokens: null,
  pricing: null,
});

const CLOUDFLARE = "https://api.cloudflare.com/client/v4";

function cloudflareOf({ providerEnv }: Config, deps: ServiceDeps): CloudflareMarkdown | undefined {
  const [accountId, token] = [providerEnv.get(CLOUDFLARE_ACCOUNT_ID), providerEnv.get(CLOUDFLARE_API_TOKEN)];
  if (accountId === undefined || token === undefined) return undefined;
  const baseUrl = providerEnv.get(CLOUDFLARE_BASE_URL) ?? CLOUDFLARE;
  return createCloudflareMarkdown(deps, { accountId, token, baseUrl });
}

function keptTexts({ store, blobs, runtime }: DocumentParts): KeptTexts | undefined {
  if (blobs === undefined) return undefined;
  const values = new KeptValues({ store, blobs, runtime });
  return {
    find: ({ workspaceId, hash, engine }) => values.find({ workspaceId, name: ["document", hash, engine] }),
    keep: ({ workspaceId, hash, engine }, value) =>
      values.keep({ workspaceId, name: ["document", hash, engine] }, value),
  };
}
