/** Puts together what server tools may use of the gateway. */

import { isApart } from "../../providers/endpoint.ts";
import type { Config } from "../../config/config.ts";
import { ratesToJson } from "../../../shared/models.ts";
import type { Catalog, ModelListing } from "../../providers/catalog/catalog.ts";
import { listPricesAt } from "../../billing/pricing/unit_prices.ts";
import type { Containers } from "../../sandbox/containers/containers.ts";
import { createFileSearcher, type FileSearchParts } from "./file_search.ts";
import { createMcp } from "./web.ts";
import type { ListedModel } from "../../pipeline/tools/model_index.ts";
import type { ToolDeps, WebAccess } from "../../pipeline/tools/tool_definition.ts";
import { createToolFiles, type ToolFileParts } from "./tool_files.ts";

interface ToolParts extends FileSearchParts, ToolFileParts {
  readonly catalog: Pick<Catalog, "models">;
  readonly web: WebAccess;
  readonly config: Pick<Config, "fusionPresets" | "fetch" | "proxies">;
  readonly containers: Containers;
}

/** Models that speak only are of no use to who looks for one to talk to, and are left out. */
export function createToolDeps(
  { catalog, web, containers, config, ...parts }: ToolParts,
): ToolDeps {
  const { clock } = parts.runtime;
  let listed: readonly ListedModel[] | undefined;
  const models = () =>
    listed ??= catalog.models.filter(writes).map((listing) => listedModel(listing, clock.now()));
  return {
    clock,
    models,
    web,
    containers,
    fusionPresets: config.fusionPresets,
    workspaceFiles: createToolFiles(parts),
    mcp: createMcp({ config, clock }),
    fileSearcher: createFileSearcher(parts),
  };
}

const writes = ({ model: { outputModalities } }: ModelListing): boolean =>
  outputModalities.some((kind) => !isApart(kind));

function listedModel({ model, endpoints: [first] }: ModelListing, now: number): ListedModel {
  const prices = first.pricing === null ? undefined : ratesToJson(listPricesAt(first.pricing, now));
  return {
    id: model.id,
    name: model.name,
    series: first.provider.builtIn === true ? "Other" : model.tokenizer ?? "Other",
    description: model.description,
    contextLength: model.contextLength,
    inputModalities: model.inputModalities,
    outputModalities: model.outputModalities,
    price: prices === undefined
      ? null
      : { prompt: String(prices.prompt), completion: String(prices.completion) },
  };
}
