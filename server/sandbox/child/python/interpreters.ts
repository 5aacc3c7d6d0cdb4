/**
 * Interpreters of Python, each for one run: what a run has damaged, patched or closed ends with it. The first start
 * takes seconds of the processor, once for all processes; its code and its memory are kept, and each further interpreter
 * begins with a copy of the memory.
 */

import type { loadPyodide, PyodideAPI } from "pyodide";
import { Memo } from "../../../../shared/util/memo.ts";
import { HOME } from "../../messages.ts";
import { COMMON_MODULES, START_MEMORY_FILE } from "../../python/start_memory.ts";
import { NOWHERE } from "../conceal_host.ts";
import { collectLater } from "../garbage.ts";

type PyodideOptions = NonNullable<Parameters<typeof loadPyodide>[0]>;

const MIB = 1024 * 1024;
/** With the code that is compiled once. */
const FIRST_BYTES = 110 * MIB;
const NEXT_BYTES = 56 * MIB;

interface InterpretersOptions {
  /** Called where there is no start memory, before it is made in this process. */
  readonly onNoStartMemory: () => Promise<void>;
}

export class Interpreters {
  readonly #memory: Memo<Uint8Array>;
  readonly #code = new InterpreterCode();
  #hasStarted = false;

  constructor({ onNoStartMemory }: InterpretersOptions) {
    this.#memory = new Memo(async () => {
      const kept = keptMemory();
      if (kept !== undefined) return kept;
      await onNoStartMemory();
      return await startedMemory();
    });
  }

  /** Least memory that the next interpreter takes, in bytes. */
  get neededBytes(): number {
    return this.#hasStarted ? NEXT_BYTES : FIRST_BYTES;
  }

  /**
   * One in which nothing has run. Rejects where it cannot be loaded: the next call tries again. The memory of earlier ones
   * is freed when it is collected, which is for the caller to ask for.
   */
  async load(): Promise<PyodideAPI> {
    const memory = await this.#memory.get();
    this.#hasStarted = true;
    return await this.#code.keepDuring(() => loadInterpreter({ _loadSnapshot: memory }));
  }
}

/** The compiled program, which every interpreter runs: compiling it takes as long as the rest of a start. */
class InterpreterCode {
  #module: WebAssembly.Module | undefined;

  /** Pyodide instantiates the bytes of its file each time; they are compiled the first time only. */
  async keepDuring<T>(load: () => Promise<T>): Promise<T> {
    const { instantiate } = WebAssembly;
    const instantiateKept = async (
      source: BufferSource | WebAssembly.Module,
      imports: WebAssembly.Imports,
    ) => {
      if (source instanceof WebAssembly.Module) return await instantiate(source, imports);
      if (source.byteLength < MIB) return await instantiate(source, imports);
      this.#module ??= await WebAssembly.compile(source);
      return { module: this.#module, instance: await instantiate(this.#module, imports) };
    };
    Object.assign(WebAssembly, { instantiate: instantiateKept });
    try {
      return await load();
    } finally {
      Object.assign(WebAssembly, { instantiate });
    }
  }
}

/** Objects that remember where the package lies, which nothing needs once it is loaded. */
function folderOwners(pyodide: PyodideAPI): readonly object[] {
  const { _api: api } = toInner(pyodide);
  return [api, api.config, api.packageManager];
}

interface InnerApi {
  readonly config: object;
  readonly packageManager: object;
  /** Calls a function later, in milliseconds. */
  readonly scheduleCallback: (call: () => void, delayMs: number) => void;
}

/** Python reaches it by `pyodide_js`; the package's types leave it out. */
export function toInner(pyodide: unknown) {
  return pyodide as { readonly _api: InnerApi };
}

function concealFolder(owner: object, folder: string): void {
  for (const [name, value] of Object.entries(owner)) {
    if (typeof value === "string" && value.includes(folder)) Object.assign(owner, { [name]: NOWHERE });
  }
}

/** Read from the file that the keeper has had made; undefined before it is there. */
function keptMemory(): Uint8Array | undefined {
  try {
    using file = Deno.openSync(`${packageFolder()}${START_MEMORY_FILE}`);
    const memory = new Uint8Array(file.statSync().size);
    // Into its place: a copy on its way would leave a hole of its size in the process.
    for (let offset = 0; offset < memory.length;) {
      offset += file.readSync(memory.subarray(offset)) ?? Infinity;
    }
    return memory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Takes seconds of the processor. */
export async function startedMemory(): Promise<Uint8Array> {
  const memory = await firstMemory();
  await collectLater();
  return memory;
}

/** A function of its own: nothing may hold the first interpreter when it is collected. */
async function firstMemory(): Promise<Uint8Array> {
  const first = await loadInterpreter({ _makeSnapshot: true });
  first.runPython(COMMON_MODULES);
  return first.makeMemorySnapshot();
}

/** Where Pyodide's package lies; a slash is at its end. */
const packageFolder = () => new URL(".", import.meta.resolve("pyodide")).pathname;

async function loadInterpreter(options: PyodideOptions): Promise<PyodideAPI> {
  const pyodide = await import("pyodide");
  const folder = packageFolder();
  const loaded = await pyodide.loadPyodide({ env: { HOME }, indexURL: folder, ...options });
  for (const owner of folderOwners(loaded)) concealFolder(owner, folder);
  return loaded;
}
