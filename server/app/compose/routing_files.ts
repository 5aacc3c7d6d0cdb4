/** Data that routers rank by, from the files and addresses that the operator names. */

import type { MarketFile, ScoreFile } from "../../../shared/routing/scores.ts";
import { type Config, ConfigError } from "../../config/config.ts";
import {
  marketData,
  parseRoutingData,
  type RoutingFile,
  scoresData,
} from "../../config/routers/routing_settings.ts";
import type { Runtime } from "../../runtime.ts";
import { download } from "../download.ts";

interface RoutingFiles {
  /** Undefined where there are none of the operator's, or they cannot be had now. */
  readonly scores?: readonly ScoreFile[];
  readonly market?: MarketFile;
}

type LoadDeps = Pick<Runtime, "fetch" | "clock" | "log">;

/** Goes on, and says so in the log, where an address does not answer. Throws a ConfigError for what is wrong with it. */
export async function loadRoutingFiles(
  { routing }: Pick<Config, "routing">,
  deps: LoadDeps,
): Promise<RoutingFiles> {
  const [scores, market] = await Promise.all([
    load(routing.scores, { ...scoresData, deps }),
    load(routing.market, { ...marketData, deps }),
  ]);
  return { scores, market };
}

type Parsing<T> = Omit<Parameters<typeof parseRoutingData<T>>[1], "place">;

async function load<T>(
  file: RoutingFile<T> | undefined,
  { setting, schema, deps }: Parsing<T> & { readonly deps: LoadDeps },
): Promise<T | undefined> {
  if (file === undefined || file.type === "file") return file?.data;
  const { url, sha256 } = file;
  const bytes = await bytesAt(url, { setting, deps });
  if (bytes === undefined) return undefined;
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  if (found !== sha256) {
    throw new ConfigError(`${setting} is ${JSON.stringify(url)}, whose SHA-256 is ${found}, not ${sha256}`);
  }
  return parseRoutingData(new TextDecoder().decode(bytes), { setting, schema, place: url });
}

async function bytesAt(
  url: string,
  { setting, deps }: { readonly setting: string; readonly deps: LoadDeps },
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const without = (reason: string) =>
    void deps.log.warn(`${setting} is not in use until the next start: ${url} cannot be had`, { reason });
  try {
    const { status, bytes } = await download(url, deps);
    if (status === 200) return bytes;
    without(`status ${status}`);
  } catch (error) {
    without(error instanceof Error ? error.message : String(error));
  }
  return undefined;
}
