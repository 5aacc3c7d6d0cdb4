/** Runs the snippets in containers of an engine and compares them with what Debian gave. */

import type { CommandOutcome, EngineName, SandboxProcess } from "../../../server/sandbox/sandbox.ts";
import { runIn, type SandboxRig } from "../../support/sandbox.ts";
import { fingerprint, isCompared, type Recorded, type Snippet } from "./snippets.ts";

/** A container's state before a snippet runs. */
export type ContainerState = "new" | "used";

export interface Comparison {
  readonly snippet: Snippet;
  readonly state: ContainerState;
  readonly given: Recorded | string;
  readonly stderr: string;
  /** It differs, and says so: a status, and words on standard error. */
  readonly verdict: "equal" | "refused" | "different";
}

interface CompareInput {
  readonly rig: SandboxRig;
  readonly engine: EngineName;
  readonly recorded: ReadonlyMap<string, Recorded>;
}

const HOME = "/home/user";
/** Time of the processor; snippets take much less. */
const TIMEOUT_MS = 20_000;
/**
 * Containers of a state that work at the same time. A process of `virtual` compiles the shell anew, which takes as much
 * of the processor as the snippets.
 */
export const workers: Readonly<Record<EngineName, number>> = { bubblewrap: 3, virtual: 1 };

/** A state that the commands before may have left. */
const USED =
  "export A_NAME='with blanks' B=2; readonly C=3; set -f; shopt -s dotglob; f() { false; }; cd /tmp";

/** Leaves nothing of what was before but the process. */
const EMPTY = "cd ~ && find . /tmp -mindepth 1 -delete";

/**
 * Compares each snippet in a new container, and in one that others have used. In the engine `virtual`, where a new one
 * is a process that takes its time to start, a worker's is emptied for the next snippet: no state is in it then.
 */
export async function compareAll(
  snippets: readonly Snippet[],
  input: CompareInput,
): Promise<readonly Comparison[]> {
  const todo = [...snippets];
  const folders = snippets.map(({ name }) => name).join(" ");
  const worker = async () => {
    const found: Comparison[] = [];
    const [news, used] = [newContainers(input), usedContainers(input, folders)];
    for (let snippet = todo.shift(); snippet !== undefined; snippet = todo.shift()) {
      for (const containers of [news, used]) found.push(await compare(snippet, input, containers));
    }
    for (const containers of [news, used]) containers.end();
    return found;
  };
  return (await Promise.all(Array.from({ length: workers[input.engine] }, worker))).flat();
}

/** Containers in one state. */
interface Containers {
  readonly state: ContainerState;
  /** One that is ready for a snippet, and the variables that its shell has exported. */
  readonly next: () => Promise<Place>;
  /** The last one has ended with its command. */
  readonly drop: () => void;
  readonly end: () => void;
}

interface Place {
  readonly process: SandboxProcess;
  readonly environment: Readonly<Record<string, string>>;
}

const openNext = ({ rig }: CompareInput) => rig.open({ container: crypto.randomUUID() });

function newContainers(input: CompareInput): Containers {
  let last: SandboxProcess | undefined;
  const drop = () => {
    last?.release(undefined);
    last = undefined;
  };
  return {
    state: "new",
    next: async () => {
      if (input.engine !== "virtual") drop();
      else if (last !== undefined) ended(await runIn(last, EMPTY, { timeoutMs: TIMEOUT_MS }));
      last ??= await openNext(input);
      return { process: last, environment: {} };
    },
    drop,
    end: drop,
  };
}

function usedContainers(input: CompareInput, folders: string): Containers {
  let last: Place | undefined;
  const drop = () => {
    last?.process.release(undefined);
    last = undefined;
  };
  return {
    state: "used",
    next: async () => {
      if (last !== undefined) return last;
      const process = await openNext(input);
      const { environment } = ended(
        await runIn(process, `mkdir ${folders}; ${USED}`, { timeoutMs: TIMEOUT_MS }),
      );
      return last = { process, environment };
    },
    drop,
    end: drop,
  };
}

function ended(outcome: CommandOutcome) {
  if (outcome.type === "ended") return outcome;
  throw new Error(`A command was killed: ${outcome.reason}`);
}

interface Command {
  readonly code: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Python runs as a program, as it was recorded: the interpreter of a notebook shows more, and keeps what was before. */
function commandOf({ language, code }: Snippet): Command {
  return language === "bash"
    ? { code, variables: {} }
    : { code: 'python3 -c "$CODE"', variables: { CODE: code } };
}

async function compare(
  snippet: Snippet,
  { recorded }: CompareInput,
  { state, next, drop }: Containers,
): Promise<Comparison> {
  const { process, environment } = await next();
  const folder = state === "new" ? "" : `${snippet.name}/`;
  const workingFolder = folder === "" ? HOME : `${HOME}/${snippet.name}`;
  const { code, variables } = commandOf(snippet);
  const outcome = await runIn(process, code, {
    workingFolder,
    environment: { ...environment, ...variables },
    timeoutMs: TIMEOUT_MS,
  });
  const { stderr } = outcome;
  if (outcome.type === "killed") {
    drop();
    return { snippet, state, given: outcome.reason, stderr, verdict: "different" };
  }
  const { stdout, exitCode: status } = outcome;
  const given = { stdout, status, files: await filesOf(process, { outcome, folder }) };
  const isEqual = JSON.stringify(given) === JSON.stringify(recorded.get(snippet.name));
  const verdict = isEqual ? "equal" : status !== 0 && stderr !== "" ? "refused" : "different";
  return { snippet, state, given, stderr, verdict };
}

interface FilesInput {
  readonly outcome: Extract<CommandOutcome, { type: "ended" }>;
  readonly folder: string;
}

async function filesOf(process: SandboxProcess, { outcome: { changes }, folder }: FilesInput) {
  const files: [string, string][] = [];
  for (const change of changes) {
    if (change.type === "deleted" || !change.entry.path.startsWith(folder)) continue;
    const { entry } = change;
    const path = entry.path.slice(folder.length);
    if (entry.type === "folder" || !isCompared(path)) continue;
    if (entry.type === "link") files.push([path, `-> ${entry.target}`]);
    else files.push([path, await fingerprint(path, () => bytesOf(process, entry))]);
  }
  return Object.fromEntries(files.toSorted(([a], [b]) => a < b ? -1 : 1));
}

/** An empty file has nothing to be read. */
async function bytesOf(
  process: SandboxProcess,
  { path, size }: { readonly path: string; readonly size: number },
): Promise<Uint8Array<ArrayBuffer>> {
  if (size === 0) return new Uint8Array();
  return new Uint8Array(Buffer.concat(await Array.fromAsync(process.readFile(path))));
}
