/**
 * Has the files of the voices at hand: out of Deno's own cache, where `deno task setup` puts them, out of the data
 * folder, or from the network.
 */

import type { Runtime } from "../../runtime.ts";
import {
  matchesLock,
  type VoiceFiles,
  voicePackage,
  type VoicePart,
  voiceParts,
} from "./voice_package_lock.ts";

export interface PackageOptions {
  readonly runtime: Pick<Runtime, "fetch" | "log" | "clock">;
  /** Where fetched files are kept; absent: nowhere. */
  readonly folder?: string;
  /** Where Deno keeps packages; absent: where it keeps ours. */
  readonly cache?: string | null;
}

/** The files cannot be had; the message says what to do. */
export class VoicesUnavailable extends Error {
  override readonly name = "VoicesUnavailable";

  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message =
      "The embedded voices are not installed. Run `deno task setup` where there is a network, then " +
      `try again: they could not be fetched (${why.slice(0, 100)}).`;
    super(message, { cause });
  }
}

const LONGEST_MS = 120_000;
/** Bytes of a file, at most. */
const LARGEST = 64 * 1024 * 1024;

/** The files, for the caller alone to use up; undefined where they are not on this machine. */
export async function voicesOnDisk(options: PackageOptions): Promise<VoiceFiles | undefined> {
  const folders = [options.cache === undefined ? denoCache() : options.cache, keptIn(options)];
  for (const folder of folders) {
    const files = folder ? await readFrom(folder) : undefined;
    if (files !== undefined) return files;
  }
  return undefined;
}

/** Loads the voice files of this machine, else those from the network. */
export const loadVoiceFiles = async (options: PackageOptions): Promise<VoiceFiles> =>
  await voicesOnDisk(options) ?? await fetchedFiles(options);

/** The files from the network, kept for the next start. Rejects with VoicesMissing; the next call tries anew. */
export async function fetchedFiles(options: PackageOptions): Promise<VoiceFiles> {
  try {
    return await fetched(options);
  } catch (error) {
    options.runtime.log.warn("Cannot fetch embedded voices", { error: String(error) });
    throw new VoicesUnavailable(error);
  }
}

/** The package's folder in Deno's cache, which has the same form for each package of a registry. */
function denoCache(): string | undefined {
  const [, registry] = /^file:\/\/(.*\/npm\/[^/]+)\/zod\//.exec(import.meta.resolve("zod")) ?? [];
  return registry === undefined
    ? undefined
    : `${decodeURI(registry)}/${voicePackage.name}/${voicePackage.version}`;
}

function keptIn({ folder }: PackageOptions): string | undefined {
  return folder === undefined ? undefined : `${folder}/espeak-ng-${voicePackage.version}`;
}

async function readFrom(folder: string): Promise<VoiceFiles | undefined> {
  try {
    const [script, data] = await Promise.all(voiceParts.map(async (part) => {
      const bytes = await Deno.readFile(`${folder}/${voicePackage.files[part].path}`);
      return await matchesLock(part, bytes) ? bytes : undefined;
    }));
    return script === undefined || data === undefined ? undefined : { script, data };
  } catch {
    // Not there, or not to be read: then the next place is asked.
    return undefined;
  }
}

async function fetched(options: PackageOptions): Promise<VoiceFiles> {
  const { log } = options.runtime;
  const { name, version } = voicePackage;
  log.info(`Fetching the embedded voices: ${name} ${version} (${voicePackage.licence}), 12 MB`, {
    host: new URL(voicePackage.base).host,
  });
  const script = await fetchedPart("script", options);
  const data = await fetchedPart("data", options);
  log.info("Embedded voices ready", { bytes: script.length + data.length });
  await keep({ script, data }, options);
  return { script, data };
}

async function fetchedPart(part: VoicePart, options: PackageOptions): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await download(part, options);
  if (await matchesLock(part, bytes)) return bytes;
  throw new Error(`Cannot use the voices: the checksum of ${voicePackage.files[part].path} is wrong`);
}

async function download(part: VoicePart, { runtime }: PackageOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { base, name, version, files } = voicePackage;
  const stop = new AbortController();
  const cancel = runtime.clock.after(LONGEST_MS, () => stop.abort(new Error("it took too long")));
  try {
    const url = `${base}/${name}@${version}/${files[part].path}`;
    const response = await runtime.fetch(url, { signal: stop.signal });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new Error(`Cannot fetch the voices: status ${response.status}`);
    }
    return await readAll(response.body);
  } finally {
    cancel();
  }
}

async function readAll(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > LARGEST) throw new Error(`Cannot fetch the voices: more than ${LARGEST} bytes`);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** A folder that cannot be written costs the next start another download, nothing else. */
async function keep(files: VoiceFiles, options: PackageOptions): Promise<void> {
  const folder = keptIn(options);
  if (folder === undefined) return;
  try {
    await Deno.mkdir(folder, { recursive: true });
    for (const part of voiceParts) {
      const path = `${folder}/${voicePackage.files[part].path}`;
      // In one step, so that nobody reads half a file.
      await Deno.writeFile(`${path}.part`, files[part]);
      await Deno.rename(`${path}.part`, path);
    }
  } catch (error) {
    options.runtime.log.warn("Cannot store embedded voices", { error: String(error) });
  }
}
