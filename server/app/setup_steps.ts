/** The steps of `deno task setup`, and what is said of them at the end. It needs no package: they may not be there. */

import { oldDenoSentence } from "../config/process/deno_version.ts";

/** A run of Deno. */
export interface SetupRun {
  readonly success: boolean;
  /** Text that it wrote to the standard output. */
  readonly output: string;
}

interface SetupOptions {
  /** Version of the Deno that runs it: an older one cannot read the lock files. */
  readonly denoVersion: string;
  /** Runs Deno with these arguments in the folder of the project. */
  readonly run: (args: readonly string[]) => Promise<SetupRun>;
  readonly print: (line: string) => void;
  /** Arguments of the command: none, or `--needed`, which leaves out what is optional. */
  readonly args?: readonly string[];
}

interface SetupStep {
  readonly name: string;
  readonly args: readonly string[];
  /** How it is without them, said where they could not be had. */
  readonly without: string;
  /** Nothing else takes its place: without it the setup has failed. */
  readonly isNeeded: boolean;
}

const gatewayPackages: SetupStep = {
  name: "the gateway's packages",
  args: ["install", "--frozen", "--entrypoint", "main.ts"],
  without: "the gateway does not start without them",
  isNeeded: true,
};

const otherSteps: readonly SetupStep[] = [
  {
    name: "the packages that read pages and documents",
    args: ["install", "--frozen", "--config", "server/web/reader/child/deno.json"],
    without: "web_fetch and documents fail until they can be fetched",
    isNeeded: true,
  },
  {
    name: "the packages that run commands in containers",
    args: ["install", "--frozen", "--config", "server/sandbox/child/deno.json"],
    without: "commands of models fail until they can be fetched",
    isNeeded: true,
  },
  {
    name: "the console",
    args: [
      "run",
      "--no-config",
      "--no-lock",
      "--no-prompt",
      "--allow-read=console,shared",
      "--allow-run",
      "console/build.ts",
      "--strict",
    ],
    without: "it is not built, and the gateway starts without it",
    isNeeded: true,
  },
  {
    name: "the voices of local/voice",
    args: ["install", "--frozen", "--config", "server/local_provider/voices/deno.voice.json"],
    without: "they are optional, and are tried again with the first spoken text",
    isNeeded: false,
  },
];

const ONLY_NEEDED = "--needed";

/** Says in lines of its own what is there; its status says whether what was asked for is. */
const pythonArgs = [
  "run",
  "--frozen",
  "--no-prompt",
  "--allow-net",
  "--allow-env",
  "--allow-read",
  "--allow-write",
  "server/app/setup_python.ts",
] as const;

/** Tries every step, says what was fetched and what was not, and resolves with the status of the process. */
export async function runSetup({ denoVersion, run, print, args = [] }: SetupOptions): Promise<0 | 1> {
  const refusal = oldDenoSentence(denoVersion, "setup") ?? unknownArgument(args);
  if (refusal !== undefined) {
    print(refusal);
    return 1;
  }
  const onlyNeeded = args.includes(ONLY_NEEDED);
  const lines: string[] = [];
  let failed = false;
  const take = async ({ name, args, without, isNeeded }: SetupStep) => {
    const { success } = await run(args);
    lines.push(success ? `Fetched: ${name}` : `Not fetched: ${name}; ${without}`);
    if (!success && isNeeded) failed = true;
    return success;
  };
  const mayRun = await take(gatewayPackages);
  for (const step of otherSteps) {
    if (step.isNeeded || !onlyNeeded) await take(step);
  }
  if (onlyNeeded) lines.push("Left out: what is optional");
  else if (mayRun) {
    const { success, output } = await run(pythonArgs);
    const outputLines = output.split("\n").filter((line) => line !== "");
    lines.push(
      ...outputLines.length > 0
        ? outputLines
        : ["Not fetched: Python packages for containers; the reason is above"],
    );
    if (!success) failed = true;
  } else lines.push("Not tried: Python packages for containers, which need the gateway's packages");
  for (const line of [...lines, closingOf(lines, failed)]) print(line);
  return failed ? 1 : 0;
}

/** A sentence about the first argument that is none. */
function unknownArgument(args: readonly string[]): string | undefined {
  const unknown = args.find((arg) => arg !== ONLY_NEEDED);
  return unknown === undefined
    ? undefined
    : `Unknown argument ${
      JSON.stringify(unknown)
    }: allowed is ${ONLY_NEEDED}, which leaves out what is optional`;
}

function closingOf(lines: readonly string[], failed: boolean): string {
  if (failed) return "The setup is not complete: something that was asked for is missing.";
  const hasAll = lines.every((line) => !line.startsWith("Not fetched"));
  return hasAll ? "The setup is complete." : "The setup is complete: what was not fetched is optional.";
}
