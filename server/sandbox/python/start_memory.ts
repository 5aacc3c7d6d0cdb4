/**
 * The memory of an interpreter of Python that has started, as a file beside Pyodide's own: the first start takes seconds
 * of the processor, and a process of a container begins with this. The keeper has it made where nothing of a model's
 * runs, and no process of a container may write it.
 */

import { createHash } from "node:crypto";

/** Imported before the memory is copied: what the runner needs, and what most programs import. */
export const COMMON_MODULES =
  "import argparse, atexit, builtins, collections, csv, datetime, functools, importlib, " +
  "importlib.abc, io, itertools, json, linecache, math, os, pathlib, random, re, runpy, string, sys, time, " +
  "traceback, types, typing";

const DIGITS = 16;
const made = createHash("sha256").update(COMMON_MODULES).digest("hex").slice(0, DIGITS);

/** Name in the folder of Pyodide's version. Memory that was made of something else has another one. */
export const START_MEMORY_FILE = `tollgate-${made}.memory`;
