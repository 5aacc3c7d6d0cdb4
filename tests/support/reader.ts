/** A keeper and a reader under test, as the gateway starts them. */

import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import type { Keeper } from "../../server/sandbox/keeper/keeper.ts";
import { startKeeper } from "../../server/sandbox/keeper/start_keeper.ts";
import {
  createReader,
  type Reader,
  type ReadInput,
  type ReadResult,
} from "../../server/web/reader/reader.ts";
import type { Logger } from "../../server/runtime.ts";
import { tickingClock } from "./ticking_clock.ts";

export interface ReaderRig extends AsyncDisposable {
  readonly keeper: Keeper;
  /** Lines of the log: level, message and fields. */
  readonly lines: readonly string[];
  readonly read: (
    body: string | Uint8Array<ArrayBuffer>,
    changes?: Partial<ReadInput>,
  ) => Promise<ReadResult>;
}

export interface ReaderRigOptions {
  readonly concurrency?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** No test of what a document says depends on how busy the machine is. */
export const endlessTime = { after: () => () => {} };

/** Reads HTML unless the changes say otherwise. */
export function readerRig({ concurrency = 4, env }: ReaderRigOptions = {}): ReaderRig {
  const lines: string[] = [];
  const log = linesLogger(lines);
  const keeper = startKeeper({ clock: tickingClock(), log, env: env ?? keeperEnvironment() });
  const reader = createReader({ keeper, log, clock: endlessTime, concurrency });
  return {
    keeper,
    lines,
    read: (body, changes = {}) => readWith(reader, { body, changes }),
    [Symbol.asyncDispose]: () => keeper.close(),
  };
}

export function linesLogger(lines: string[]): Logger {
  const write = (level: string): Logger["info"] => (message, fields = {}) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

interface ReadWith {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly changes: Partial<ReadInput>;
}

export function readWith(reader: Reader, { body, changes }: ReadWith): Promise<ReadResult> {
  return reader({
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
    contentType: "text/html; charset=utf-8",
    url: "https://example.com/folder/page",
    maxCharacters: 100_000,
    signal: new AbortController().signal,
    ...changes,
  });
}
