/** Containers as tools use them: commands, patches and files of one session of a workspace. Types only. */

import type { NetworkPolicy } from "../sandbox.ts";

export interface ContainerRequest {
  readonly workspaceId: string;
  /** As the client sent it; undefined: the container belongs to this request alone. */
  readonly sessionId: string | undefined;
  /** `gen-…` of the request. */
  readonly generation: string;
  /** The id that the client names (`container_reference`); undefined: that of the session or of the request. */
  readonly containerId: string | undefined;
  /** Files of the workspace that appear in the home folder, at most 20, as clients name them. */
  readonly fileIds: readonly string[];
  /** Undefined: as the container has it, for a new one `disabled`. */
  readonly network: NetworkPolicy | undefined;
  /** Seconds without a command after which it sleeps; undefined: 900. */
  readonly sleepAfterSeconds: number | undefined;
}

export interface RunInput {
  readonly language: "bash" | "python";
  /** Run one after the other; the first that is ended from outside ends the list. */
  readonly commands: readonly string[];
  /** Time limit of each command: milliseconds of the processor, and four times as many by the clock. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type CommandStatus =
  | { readonly type: "exit"; readonly exitCode: number }
  /** It was ended at its time limit; a note says whether its changes are kept. */
  | { readonly type: "timeout" }
  /** It was ended for another reason, or could not be run; one sentence for the model. */
  | { readonly type: "failed"; readonly reason: string };

export interface CommandResult {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly status: CommandStatus;
}

/** A file that commands have made or changed. */
export interface ChangedFile {
  /** `cfile_…`. */
  readonly fileId: string;
  /** Relative to the home folder. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

export interface RunResult {
  readonly results: readonly CommandResult[];
  /** Newest first, at most 30. */
  readonly files: readonly ChangedFile[];
  /** Notes for the model: changes that were not kept, files that cannot be listed. One sentence each. */
  readonly notes: readonly string[];
  /** Seconds of all commands. */
  readonly seconds: number;
}

/** Names one file. */
export interface FileTarget {
  /** Relative to the home folder, or absolute within it. */
  readonly path: string;
  readonly signal: AbortSignal;
}

export interface CreateInput extends FileTarget {
  readonly text: string;
}

export interface UpdateInput extends FileTarget {
  /** Gets the text that is there. Throws an EditError where it does not fit. */
  readonly edit: (text: string) => string;
}

/** Why a file was not changed; the message is for the model. */
export class EditError extends Error {
  override readonly name = "EditError";
  /** Field of the input that is wrong; undefined where it is none. */
  readonly field: "path" | undefined;

  constructor(message: string, options: { readonly field?: "path"; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.field = options.field;
  }
}

/** Another instance of the gateway works in the container at this moment. */
export class ContainerInUse extends EditError {
  constructor() {
    super("This container is in use on another instance of the gateway. Try again in a moment.");
  }
}

export interface Container {
  readonly id: string;
  /** Rejects with the signal's reason only; everything else is a result. */
  run(input: RunInput): Promise<RunResult>;
  /** Makes a file where there is none. Throws an EditError. */
  create(input: CreateInput): Promise<readonly ChangedFile[]>;
  /** Changes one file of text, or nothing. Throws an EditError. */
  update(input: UpdateInput): Promise<readonly ChangedFile[]>;
  /** Deletes one file, whatever its bytes are. Throws an EditError where there is none. */
  delete(target: FileTarget): Promise<void>;
  /** The bytes of a file up to `most`; undefined where there is none, it is larger, or its bytes are lost. */
  readFile(path: string, most: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** A new container, empty but for attached files, which the session goes on in. */
  restart(): Promise<Container>;
}

export interface Containers {
  /** Why tools that run code are not offered, in one sentence; undefined: they are. */
  readonly unavailableReason: string | undefined;
  /** Resolves when it is known what the two others say; a moment after the start. */
  readonly ready: Promise<void>;
  /** Programs beside the usual ones; undefined: commands are those of the engine `virtual`. */
  readonly programs: readonly string[] | undefined;
  /** Throws as `open` does, and makes nothing. */
  verify(request: ContainerRequest): Promise<void>;
  /**
   * Finds or makes the container of a request. Throws an ApiError: 404 for a reference to none of the workspace's,
   * 400 for another network policy than a warm container has, or a file that is not there.
   */
  open(request: ContainerRequest): Promise<Container>;
}
