/** `deno task scores refresh`: writes a market file, of a live source or of a saved answer. */

import { basename, dirname, join } from "node:path";
import { type MarketFile, marketFileSchema } from "../../../shared/routing/scores.ts";
import { isRecord, tryParseJson } from "../../../shared/util/json.ts";
import { parseRetryAfter } from "../../../shared/util/retry_after.ts";
import { systemReason } from "../../../shared/util/system_reason.ts";
import { CommandError } from "../../cli/command_error.ts";
import { marketData, parseRoutingData } from "../../config/routers/routing_settings.ts";
import { MarketError, marketOfOpenRouter } from "../../pipeline/routing/scores/openrouter_market.ts";
import type { Runtime } from "../../runtime.ts";
import { download } from "../download.ts";

interface RefreshOptions {
  readonly runtime: Pick<Runtime, "fetch" | "clock">;
  /** `openrouter`, or the path of a saved answer of it or of a market file. */
  readonly from: string;
  /** The file that is written. */
  readonly to: string;
  /** Key and address of OpenRouter, as the settings have them. */
  readonly key: string | undefined;
  readonly baseUrl: string | undefined;
}

const DAY_MS = 86_400_000;
const ADDRESS = "https://openrouter.ai/api/v1";

/** Returns what was done, in one sentence. Throws a CommandError; then the file is as it was. */
export async function refreshMarket(options: RefreshOptions): Promise<string> {
  const { from, to, runtime } = options;
  if (from === "openrouter" && await isNewest(to, runtime)) {
    return `${to} is as new as the source: it has figures of whole days, the last one of yesterday`;
  }
  const file = from === "openrouter" ? await askOpenRouter(options) : await readSaved(from);
  await writeWhole(to, `${JSON.stringify(file, null, 2)}\n`);
  const tasks = Object.keys(file.shares).length;
  return `${to} has shares of ${tasks} tasks. ${file.attribution} ${file.licence}`;
}

/** Whether nothing newer is to be had: the source counts 500 requests a day. */
async function isNewest(path: string, { clock }: Pick<Runtime, "clock">): Promise<boolean> {
  const text = await readIfThere(path);
  const file = text === undefined ? undefined : marketFileSchema.safeParse(tryParseJson(text)).data;
  const yesterday = new Date(clock.now() - DAY_MS).toISOString().slice(0, 10);
  return file !== undefined && file.as_of >= yesterday;
}

async function askOpenRouter({ runtime, key, baseUrl = ADDRESS }: RefreshOptions): Promise<MarketFile> {
  if (key === undefined) {
    throw new CommandError("OPENROUTER_API_KEY is not set: OpenRouter answers those who have a key");
  }
  const headers = { authorization: `Bearer ${key}`, accept: "application/json" };
  const { host } = new URL(baseUrl);
  const refuse = (why: string) => new CommandError(`No market file was written: ${why}`);
  const answer = await download(`${baseUrl}/classifications/task?window=7d`, { ...runtime, headers }).catch(
    (error: unknown) => {
      throw refuse(`${host}: ${error instanceof Error ? error.message : String(error)}`);
    },
  );
  const { status, bytes } = answer;
  if (status === 429) {
    const seconds = parseRetryAfter((name) => answer.headers.get(name), runtime.clock.now());
    throw refuse(tooMany(host, seconds));
  }
  if (status === 401 || status === 403) throw refuse(`${host} refuses the key of OPENROUTER_API_KEY`);
  if (status !== 200) throw refuse(`${host} answers with status ${status}`);
  return ofAnswer(tryParseJson(new TextDecoder().decode(bytes)), host);
}

function tooMany(host: string, seconds: number | undefined): string {
  const when = seconds === undefined ? "later" : `in ${seconds} s`;
  return `${host} takes 30 requests a minute and 500 a day, and had that many: try again ${when}`;
}

function ofAnswer(json: unknown, place: string): MarketFile {
  try {
    return marketOfOpenRouter(json);
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    throw new CommandError(`No market file was written: ${place}: ${error.message}`, { cause: error });
  }
}

/** Throws a ConfigError for a market file that is none. */
async function readSaved(path: string): Promise<MarketFile> {
  const text = await readIfThere(path);
  if (text === undefined) {
    throw new CommandError(`--from is "${path}": there is no such file, and no such source`);
  }
  const json = tryParseJson(text);
  if (isRecord(json) && Object.hasOwn(json, "data")) return ofAnswer(json, path);
  return parseRoutingData(text, { ...marketData, setting: "--from", place: path });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new CommandError(`${path} cannot be read: ${systemReason(error)}`, { cause: error });
  }
}

/** Whole or not at all: a gateway may read it meanwhile. */
async function writeWhole(path: string, text: string): Promise<void> {
  const unfinished = join(dirname(path), `.${basename(path)}.unfinished`);
  try {
    await Deno.writeTextFile(unfinished, text);
    await Deno.rename(unfinished, path);
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${systemReason(error)}`, { cause: error });
  }
}
