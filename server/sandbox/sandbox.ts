/** Runs the commands of containers, each container in a process of its own (docs/containers.md). Types only. */

/** Which addresses the commands of a container may reach. */
export type NetworkPolicy =
  | { readonly type: "disabled" }
  | { readonly type: "allowlist"; readonly domains: readonly string[] };

/**
 * Entry of a container's home folder. Paths are relative to it, such as `notes/a.txt`; `mode` has the permission
 * bits, and `modifiedAt` is in ms since the epoch.
 */
export type ContainerEntry =
  | {
    readonly type: "file";
    readonly path: string;
    readonly mode: number;
    readonly modifiedAt: number;
    /** Bytes. */
    readonly size: number;
  }
  | { readonly type: "folder"; readonly path: string; readonly mode: number; readonly modifiedAt: number }
  /** A symbolic link. Its target is a text of the container's and may lead anywhere within it, or nowhere. */
  | { readonly type: "link"; readonly path: string; readonly target: string };

/** An entry that a new process begins with. */
export interface StoredEntry {
  readonly entry: ContainerEntry;
  /** Reads the content of a file. */
  readonly read?: () => Promise<Uint8Array>;
}

export interface OpenProcessInput {
  /** Names the container: no other one has the same name. */
  readonly container: string;
  /**
   * Version of the container's files. A warm process that holds another version is ended, and a new one is started.
   */
  readonly version: string;
  readonly network: NetworkPolicy;
  /** All entries, folders before what they hold. Read only where a process is started. */
  readonly entries: () => AsyncIterable<StoredEntry>;
  readonly signal: AbortSignal;
}

export interface CommandInput {
  /** `python`: one interpreter runs all such code of the process, as a notebook does, until it ends. */
  readonly language: "bash" | "python";
  readonly code: string;
  /** Absolute. A folder that is not there counts as the home folder. */
  readonly workingFolder: string;
  /** Exported variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds of the processor; four times as many by the clock. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A change in the home folder. */
export type EntryChange =
  | { readonly type: "written"; readonly entry: ContainerEntry }
  | { readonly type: "deleted"; readonly path: string };

export interface EndedCommand {
  readonly type: "ended";
  readonly exitCode: number;
  /** It was ended at its time limit. What it has printed and changed before is here. */
  readonly isTimedOut: boolean;
  /** UTF-8, cut in the middle beyond 1 MiB. */
  readonly stdout: string;
  readonly stderr: string;
  /** Working folder and environment that the next command begins with. */
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Oldest first, each path once. What is below a deleted folder is listed too. */
  readonly changes: readonly EntryChange[];
  /** More has changed than a container may hold: `changes` are not all, and none of them can be kept. */
  readonly isOverflow: boolean;
  /** The interpreter that ran the code has begun with it. */
  readonly isNewInterpreter: boolean;
}

/** The process is gone, and with it every change that the command has made. */
export interface KilledCommand {
  readonly type: "killed";
  readonly reason: "time_limit" | "memory_limit" | "stopped" | "failed";
  /** Output so far, cut behind 1 MiB. */
  readonly stdout: string;
  readonly stderr: string;
}

export type CommandOutcome = (EndedCommand | KilledCommand) & {
  /** Milliseconds. */
  readonly elapsedMs: number;
};

/** The process of a container, for one caller at a time. */
export interface SandboxProcess {
  /** Runs one command. Rejects with the signal's reason only. */
  run(input: CommandInput): Promise<CommandOutcome>;
  /** The bytes of a file in the home folder that the last command wrote. Throws where the process has ended. */
  readFile(path: string): AsyncIterable<Uint8Array>;
  /** The caller is done. Warm for a while, as `version` of the container's files; undefined: it ends now. */
  release(version: string | undefined): void;
}

/** Why no process can be had; the message is one sentence for the model. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly reason: "busy" | "ended" | "not_installed" | "unavailable";

  constructor(reason: SandboxError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

export type EngineName = "bubblewrap" | "virtual";

/** Runs commands in processes of one engine. */
export interface CommandSandbox {
  /** Why commands cannot be run, in one sentence; undefined while they can. */
  readonly unavailableReason: string | undefined;
  /** For the operator: why none could be run the last time, or can be now; undefined while all is well. */
  readonly problem: string | undefined;
  /**
   * The process of a container, warm or new. The caller sees to it that nobody else has it. Waits up to 30 s where
   * too many run. Throws a SandboxError where there is none, or the signal's reason.
   */
  open(input: OpenProcessInput): Promise<SandboxProcess>;
  /** Names of the containers that have a process, at work or warm, or wait for one. */
  readonly containers: readonly string[];
  /**
   * Ends the process of a container, also in the middle of a command; who waits for one gets none. Harmless where
   * there is neither.
   */
  end(container: string): Promise<void>;
  /** Ends all of them. */
  close(): Promise<void>;
}

export interface Sandbox extends CommandSandbox {
  /** Resolves when it is known which engine runs commands; what the others say before is for the moment. */
  readonly ready: Promise<void>;
  /** Undefined while it is not known, and where none runs. */
  readonly engine: EngineName | undefined;
  /** Where the settings leave the choice: why it is `virtual` and not the better one. */
  readonly engineReason: string | undefined;
  /**
   * Programs that models ask for and that commands find, beside the usual ones of a Linux system; undefined: the
   * commands are those of the engine `virtual`.
   */
  readonly programs: readonly string[] | undefined;
}

/** One that never runs a command. */
export function unavailableSandbox(reason: string): Sandbox {
  return {
    unavailableReason: reason,
    problem: reason,
    ready: Promise.resolve(),
    engine: undefined,
    engineReason: undefined,
    programs: undefined,
    open: () => Promise.reject(new SandboxError("unavailable", reason)),
    containers: [],
    end: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
