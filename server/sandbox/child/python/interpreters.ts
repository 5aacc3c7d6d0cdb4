/**
 * Interpreters of Python, each for one run: what a run has damaged, patched or closed ends with it. The first start
 * takes seconds of the processor; its memory is kept, and each further interpreter begins with a copy of it.
 */

import type { loadPyodide, PyodideAPI } from "pyodide";
import { setImmediate } from "node:timers/promises";
import { Memo } from "../../../../shared/util/memo.ts";
import { HOME } from "../../messages.ts";

type PyodideOptions = NonNullable<Parameters<typeof loadPyodide>[0]>;

/** Imported before the copy is made: what the runner needs, and what most programs import. */
const COMMON_MODULES =
  "import argparse, atexit, builtins, collections, csv, datetime, functools, importlib, " +
  "importlib.abc, io, itertools, json, linecache, math, os, pathlib, random, re, runpy, string, sys, time, " +
  "traceback, types, typing";

export interface InterpretersOptions {
  /** Runs the first start, which does not count in a command's time. */
  readonly uncounted: <T>(start: () => Promise<T>) => Promise<T>;
}

export class Interpreters {
  readonly #memory: Memo<Uint8Array>;
  #hasLoaded = false;

  constructor({ uncounted }: InterpretersOptions) {
    this.#memory = new Memo(() => uncounted(startedMemory));
  }

  /** One in which nothing has run. Rejects where it cannot be loaded: the next call tries again. */
  async load(): Promise<PyodideAPI> {
    const memory = await this.#memory.get();
    // The memory of the last one is freed only when it is collected, and is too much to wait for that.
    if (this.#hasLoaded) await collectGarbage();
    this.#hasLoaded = true;
    return await loadInterpreter({ _loadSnapshot: memory });
  }
}

async function startedMemory(): Promise<Uint8Array> {
  const first = await loadInterpreter({ _makeSnapshot: true });
  first.runPython(COMMON_MODULES);
  return first.makeMemorySnapshot();
}

async function loadInterpreter(options: PyodideOptions): Promise<PyodideAPI> {
  const pyodide = await import("pyodide");
  const folder = new URL(".", import.meta.resolve("pyodide")).pathname;
  return await pyodide.loadPyodide({ env: { HOME }, indexURL: folder, ...options });
}

async function collectGarbage(): Promise<void> {
  // What a first round finds unused may hold more.
  for (let round = 0; round < 2; round++) await collectOnce();
}

/** Not from here, where the stack may still name the last interpreter; nothing but these turns keeps the process awake. */
async function collectOnce(): Promise<void> {
  const { gc } = asCollectable(globalThis);
  let isCollected = gc === undefined;
  gc?.({ type: "major", execution: "async" }).then(() => isCollected = true);
  for (let turn = 0; !isCollected && turn < MAX_TURNS; turn++) await setImmediate();
}

/** Without an end of the collection the next interpreter begins all the same. */
const MAX_TURNS = 1_000;

interface GarbageOptions {
  readonly type: "major";
  readonly execution: "async";
}

/** V8 has the function with a flag only. */
function asCollectable(scope: object) {
  return scope as { readonly gc?: (options: GarbageOptions) => Promise<void> };
}
