/** `deno task doctor`: finds the gateway that runs, or starts one on the same store for as long as it looks. */

import { moderationProbe } from "./compose/moderation.ts";
import { type RunningGateway, startGateway } from "./start.ts";
import { reportPrices } from "../providers/catalog/open_catalog.ts";
import { reportRetirements } from "../providers/catalog/retirements.ts";
import { loadSnapshot } from "../providers/catalog/snapshot.ts";
import { reportScores } from "./scores/report_scores.ts";
import { modelListUrl } from "../providers/model_list.ts";
import { createProviders } from "../providers/mod.ts";
import { parseArguments } from "../cli/parse_arguments.ts";
import { parseUrlFlag } from "../cli/parse_url_flag.ts";
import { type DoctorReport, runDoctorChecks } from "../cli/checks/doctor_checks.ts";
import type { DoctorOptions } from "../cli/checks/doctor_options.ts";
import { CommandError } from "../cli/command_error.ts";
import type { Config } from "../config/config.ts";
import { unknownFlagSentence } from "../config/unknown_flag.ts";
import { gatewayUrl, newKeyLines } from "../config/startup_texts.ts";
import { saveFirstKeys } from "../config/first_keys.ts";
import { bookCheck } from "../billing/ledger/journal/recovery/verify_books.ts";
import { checkStore } from "../storage/stores/commands/check_store.ts";
import { storeFilePath, type StoreLocation } from "../storage/stores/store_location.ts";
import type { Runtime } from "../runtime.ts";

interface DoctorRunOptions {
  readonly config: Config;
  readonly runtime: Runtime;
  /** `--url <url>[,<url> …]` of gateways that share the store, `--requests <n>` of each race. */
  readonly args: readonly string[];
  readonly width: number;
  /** Shows the keys that a first start has made, or their file, at once: there is no second time. */
  readonly print: (text: string) => void;
  /** True when what is printed goes to a terminal. */
  readonly isTerminal: boolean;
  /** True when the process may do everything on this machine. */
  readonly isRoot: boolean;
}

const REQUESTS = 1_000;
/** About 98 fit into the check's limit; some more have to be refused. */
const LEAST_REQUESTS = 110;
const MOST_REQUESTS = 10_000;

export async function runDoctor(options: DoctorRunOptions): Promise<DoctorReport> {
  const { config, runtime } = options;
  const { words, flags } = parseArguments(options.args);
  const known = ["url", "requests", "json"];
  const unknown = unknownFlagSentence({ command: "doctor", flags: flags.keys(), known });
  if (unknown !== undefined) throw new CommandError(unknown);
  if (words.length > 0) {
    throw new CommandError("doctor takes no words: --url <url>[,<url>], --requests <number> or --json");
  }
  const asJson = flags.has("json");
  const requests = parseRequestCount(flags.get("requests"));
  const named = flags.get("url")?.split(",").flatMap((text) => parseUrlFlag(text) ?? []);
  const fallback = [gatewayUrl({ hostname: config.host, port: config.port })];
  const urls = named ?? fallback;
  if (named !== undefined || await isReachable(runtime, fallback)) {
    return await inspectGateway({ ...options, urls, isElsewhere: named !== undefined, requests, asJson });
  }
  const running = await startGateway({ config: { ...config, port: 0 }, runtime });
  const { hostname, port, hasConsole, installation } = running;
  const keyFile = saveFirstKeys({ hostname, port, hasConsole, ...installation }, {
    ...config,
    isTerminal: options.isTerminal,
  });
  const made = newKeyLines({ ...installation, keyFile });
  if (made.length > 0) options.print(`${made.join("\n")}\n\n`);
  try {
    return await inspectGateway({
      ...options,
      urls: [gatewayUrl(running)],
      isElsewhere: false,
      requests,
      running,
      asJson,
    });
  } finally {
    await running.stop();
  }
}

function parseRequestCount(text: string | undefined): number {
  if (text === undefined) return REQUESTS;
  const requests = Number(text);
  if (Number.isInteger(requests) && requests >= LEAST_REQUESTS && requests <= MOST_REQUESTS) return requests;
  throw new CommandError(
    `--requests is "${text}": allowed is a whole number from ${LEAST_REQUESTS}, since fewer do not reach the limit, to ${MOST_REQUESTS}`,
  );
}

async function isReachable({ fetch: get }: Runtime, [url = ""]: readonly string[]): Promise<boolean> {
  try {
    const response = await get(`${url}/healthz`);
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

interface DoctorTarget extends DoctorRunOptions {
  readonly urls: readonly string[];
  readonly isElsewhere: boolean;
  readonly requests: number;
  readonly asJson: boolean;
  /** Started by us: a first start has made its keys just now. */
  readonly running?: RunningGateway;
}

async function inspectGateway(
  { config, runtime, urls, isElsewhere, requests, asJson, running, width, isRoot }: DoctorTarget,
): Promise<DoctorReport> {
  const { limitsFrom } = await loadSnapshot([{ id: "openai" }]);
  const registry = createProviders(config);
  const prices = await reportPrices({ config, providers: registry, runtime });
  return await runDoctorChecks({
    config,
    runtime,
    urls,
    isElsewhere,
    requests,
    asJson,
    width,
    prices,
    scores: await reportScores({ config, providers: registry, runtime }),
    retirements: await reportRetirements({ config, providers: registry, now: runtime.clock.now() }),
    providers: registry.providers.map((provider) => ({
      name: provider.name,
      listUrl: modelListUrl(provider),
      headers: provider.headers,
    })),
    managementKey: config.managementKey ?? running?.installation.managementKey,
    notBefore: Date.parse(limitsFrom.date),
    modeOf: (path) => {
      try {
        return Deno.statSync(path).mode ?? undefined;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      }
    },
    isRoot,
    books: booksIn(config, runtime),
    probe: moderationProbe({ config, runtime }),
  });
}

/**
 * Locates the store that the settings name; undefined where the platform keeps it, or there is none on this machine.
 */
function booksIn({ store, deploy, dataFolder }: Config, { clock }: Runtime): DoctorOptions["books"] {
  const place: StoreLocation = store === undefined
    ? { type: "embedded", folder: dataFolder }
    : { type: "postgres", address: store, folder: dataFolder };
  const absent = place.type === "embedded" && (deploy || !isThere(storeFilePath(dataFolder)));
  return absent ? undefined : () => checkStore(place, { check: bookCheck, clock });
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
