/** `timeout`, as GNU's: just-bash's own loses what the command has printed, and does not end Python. */

import { type Command, defineCommand, type ResolvedCommandContext } from "just-bash";
import type { Timeouts } from "../timeouts.ts";
import { type OptionForm, parseOptions, UsageError } from "./options.ts";

type Result = Awaited<ReturnType<Command["execute"]>>;

interface TimeoutCall {
  /** Infinity: no limit. */
  readonly ms: number;
  readonly command: readonly string[];
  /** Number of the signal. */
  readonly number: number;
  readonly keepsStatus: boolean;
}

const form: OptionForm = {
  without: "fpv",
  withValue: "ks",
  endsAtOperand: true,
  long: new Map([
    ["--foreground", "-f"],
    ["--preserve-status", "-p"],
    ["--verbose", "-v"],
    ["--kill-after", "-k"],
    ["--signal", "-s"],
  ]),
};

const units: ReadonlyMap<string, number> = new Map([
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

const signals: ReadonlyMap<string, number> = new Map([
  ["HUP", 1],
  ["INT", 2],
  ["QUIT", 3],
  ["KILL", 9],
  ["USR1", 10],
  ["USR2", 12],
  ["ALRM", 14],
  ["TERM", 15],
]);
const KILL = 9;

const TIMED_OUT = 124;
/** Status where `timeout` itself fails. */
const FAILED = 125;
/** A signal's number is added to it. */
const BY_SIGNAL = 128;

interface TimeoutContext {
  readonly context: ResolvedCommandContext;
  readonly timeouts: Timeouts;
}

function parseCall(args: readonly string[]): TimeoutCall {
  const { options, operands } = parseOptions(args, form);
  const [duration, ...command] = operands;
  if (duration === undefined || command.length === 0) throw new UsageError("missing operand");
  const killAfter = options.get("k");
  if (killAfter !== undefined) durationMs(killAfter);
  return {
    ms: durationMs(duration),
    command,
    number: signalNumber(options.get("s") ?? "TERM"),
    keepsStatus: options.has("p"),
  };
}

function durationMs(text: string): number {
  const unit = units.get(text.slice(-1));
  const amount = unit === undefined ? text : text.slice(0, -1);
  if (!/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(amount)) throw new UsageError(`invalid time interval '${text}'`);
  const ms = Number(amount) * (unit ?? 1_000);
  return ms === 0 ? Infinity : ms;
}

function signalNumber(text: string): number {
  const name = text.toUpperCase().replace(/^SIG/, "");
  const number = signals.get(name) ?? [...signals.values()].find((value) => String(value) === name);
  if (number === undefined) throw new UsageError(`'${text}': invalid signal`);
  return number;
}

async function run(
  { ms, command, number, keepsStatus }: TimeoutCall,
  { context: { exec, cwd, stdin, signal }, timeouts }: TimeoutContext,
): Promise<Result> {
  if (exec === undefined) throw new UsageError("no command can be run");
  const { result, isTimedOut } = await timeouts.within(ms, (inner) =>
    exec("command", {
      cwd,
      signal: signal === undefined ? inner : AbortSignal.any([signal, inner]),
      stdin: String(stdin),
      stdinKind: "bytes",
      args: [...command],
    }));
  if (!isTimedOut) return result;
  const exitCode = keepsStatus || number === KILL ? BY_SIGNAL + number : TIMED_OUT;
  return { ...result, stderr: withoutEnd(result.stderr), exitCode };
}

/** The words of just-bash for what its signal has ended: a signal of `timeout` leaves none. */
const ABORTED = "bash: execution aborted\n";

function withoutEnd(stderr: string): string {
  return stderr.endsWith(ABORTED) ? stderr.slice(0, -ABORTED.length) : stderr;
}

export const timeoutCommand = (timeouts: Timeouts) =>
  defineCommand("timeout", async (args, context) => {
    try {
      if (args[0] === "--help" && context.origCommand !== undefined) return await context.origCommand(args);
      return await run(parseCall(args), { context, timeouts });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return { stdout: "", stderr: `timeout: ${error.message}\n`, exitCode: FAILED };
    }
  });
