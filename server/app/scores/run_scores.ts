/** `deno task scores`: what is known of the models of the catalog; `deno task scores refresh`: a market file. */

import type { MarketFile } from "../../../shared/routing/scores.ts";
import { CommandError } from "../../cli/command_error.ts";
import { formatReply } from "../../cli/format_reply.ts";
import { parseArguments } from "../../cli/parse_arguments.ts";
import type { Config } from "../../config/config.ts";
import { unknownFlagSentence } from "../../config/unknown_flag.ts";
import { coverageOf, describeCoverage } from "../../pipeline/routing/scores/coverage.ts";
import { snapshotFor } from "../../providers/catalog/operator_file.ts";
import type { Runtime } from "../../runtime.ts";
import { loadRoutingFiles } from "../compose/routing_files.ts";
import { refreshMarket } from "./refresh_market.ts";
import { scoreInput } from "./score_input.ts";

interface ScoresOptions {
  readonly config: Config;
  readonly runtime: Pick<Runtime, "fetch" | "clock" | "log">;
  readonly args: readonly string[];
  readonly width: number;
}

/** Returns the text to print. Throws a CommandError or a ConfigError. */
export async function runScores(options: ScoresOptions): Promise<string> {
  const { words: [word, ...more], flags } = parseArguments(options.args);
  if (more.length > 0 || (word !== undefined && word !== "refresh")) {
    throw new CommandError(`scores has no word "${[word, ...more].join(" ")}": allowed is refresh, or none`);
  }
  const command = word === undefined ? "scores" : "scores refresh";
  const known = word === undefined ? ["json"] : ["from", "to"];
  const unknown = unknownFlagSentence({ command, flags: flags.keys(), known });
  if (unknown !== undefined) throw new CommandError(unknown);
  if (word === undefined) return await coverageText({ ...options, asJson: flags.has("json") });
  return `${await refresh(options, flags)}\n`;
}

function refresh(
  { config: { routing, providerEnv }, runtime }: ScoresOptions,
  flags: ReadonlyMap<string, string>,
): Promise<string> {
  const from = flags.get("from");
  if (from === undefined || from === "true") {
    throw new CommandError("Name the source: --from openrouter, or --from and the path of a saved answer");
  }
  const to = flags.get("to") ?? (routing.market?.type === "file" ? routing.market.path : undefined);
  if (to === undefined || to === "true") {
    throw new CommandError("Name the file: --to market.json, and routing.market in the configuration file");
  }
  const [key, baseUrl] = ["OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"].map((name) => providerEnv.get(name));
  return refreshMarket({ runtime, from, to, key, baseUrl });
}

async function coverageText(
  { config, runtime, width, asJson }: ScoresOptions & { readonly asJson: boolean },
): Promise<string> {
  const { scores, market } = await loadRoutingFiles(config, runtime);
  // Of every provider, on or off: an empty list would stand for none but the built-in ones.
  const snapshot = await snapshotFor(config, [{ id: "openai" }]);
  const input = await scoreInput({ config, models: snapshot.allModels(), files: scores });
  const coverage = coverageOf(input, runtime.clock.now());
  if (asJson) return `${JSON.stringify({ ...coverage, market: marketFacts(market) }, null, 2)}\n`;
  const rows = coverage.scales.map(({ isOld, ...row }) => ({ ...row, old: isOld }));
  return [
    describeCoverage(coverage),
    "",
    formatReply(rows, { width }),
    "",
    `Market file: ${market === undefined ? "none" : `${market.attribution} ${market.licence}`}`,
    "",
  ].join("\n");
}

function marketFacts(market: MarketFile | undefined) {
  if (market === undefined) return null;
  const { source, attribution, licence, as_of, shares } = market;
  return { source, attribution, licence, as_of, tasks: Object.keys(shares) };
}
