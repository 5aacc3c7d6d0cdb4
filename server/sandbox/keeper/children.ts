/** The keeper's children: what the gateway has asked to run, from the request to its end. */

import * as z from "zod";
import { Memo, SharedWork } from "../../../shared/util/memo.ts";
import type { Clock } from "../../runtime.ts";
import { ChildRun, type RunResult } from "./child_run.ts";
import type { ChildEnd } from "./watched_child.ts";
import { ChildSession } from "./child_session.ts";
import { HolderSession } from "../bubblewrap/holder_session.ts";
import { SandboxSessions } from "../bubblewrap/sandbox_sessions.ts";
import { findHostLayout, LayoutError } from "../bubblewrap/host_layout.ts";
import type { SandboxFolders } from "../bubblewrap/sandbox_folders.ts";
import { nextContainerUser } from "../bubblewrap/container_user.ts";
import type { KeeperEvent, KeeperRequest, ProgramName } from "./messages.ts";
import { type DenoSessionName, programs, sessionPrograms } from "./programs.ts";
import { programCache } from "./program_cache.ts";
import { PythonStart } from "./python_start.ts";

interface ChildrenOptions {
  readonly clock: Clock;
  readonly emit: (event: KeeperEvent, body?: Uint8Array) => Promise<void>;
  readonly folders: SandboxFolders;
  /** Stands in for asking Deno, in tests. */
  readonly findDenoDir?: () => Promise<string>;
}

type RunRequest = Extract<KeeperRequest, { readonly type: "run" }>;
type OpenRequest = Extract<KeeperRequest, { readonly type: "open" }>;
type SendRequest = Extract<KeeperRequest, { readonly type: "send" }>;

/** A request that is not answered yet. */
interface OpenRun {
  child?: ChildRun | ChildSession | HolderSession;
  stopped: boolean;
}

const INSTALL_MS = 300_000;
const infoSchema = z.object({ denoDir: z.string().min(1) });

export class Children {
  readonly #options: ChildrenOptions;
  readonly #runs = new Map<number, OpenRun>();
  readonly #installs = new SharedWork<ProgramName | DenoSessionName, boolean>();
  readonly #pythonStart = new PythonStart();
  readonly #sessions = new SandboxSessions();
  /** Where Deno keeps packages for the children, which get nothing else of the keeper's own environment. */
  readonly #denoDir: Memo<string>;

  constructor(options: ChildrenOptions) {
    this.#options = options;
    const find = options.findDenoDir ?? findDenoDir;
    this.#denoDir = new Memo(async () => programCache(await find()));
  }

  /** Rejects only when the gateway cannot be answered. */
  async run({ id, program }: RunRequest, input: Uint8Array<ArrayBuffer>): Promise<void> {
    const run: OpenRun = { stopped: false };
    this.#runs.set(id, run);
    try {
      const { outcome, output, errorText } = await this.#result(run, { program, input });
      const detail = outcome === "failed" ? errorText.trim().slice(0, 1_000) : undefined;
      await this.#options.emit({ type: "ended", id, outcome, detail }, output);
    } finally {
      this.#runs.delete(id);
    }
  }

  /** Runs a program that stays, until it ends. Rejects only when the gateway cannot be told. */
  async open({ id, program, memoryMib }: OpenRequest): Promise<void> {
    const run: OpenRun = { stopped: false };
    this.#runs.set(id, run);
    try {
      const { outcome, errorText } = program === "bubblewrap"
        ? await this.#hold(run, { id, memoryMib })
        : await this.#sessionEnd(run, { id, program, memoryMib });
      const detail = outcome === "failed" ? errorText.trim().slice(0, 1_000) : undefined;
      await this.#options.emit({ type: "ended", id, outcome, detail });
    } finally {
      this.#runs.delete(id);
    }
  }

  /** Dropped where the program has ended: the gateway hears of that. */
  send({ id, header, timeMs }: SendRequest, body: Uint8Array<ArrayBuffer>): void {
    const child = this.#runs.get(id)?.child;
    if (child instanceof ChildSession) child.send({ header, body, timeMs });
    else if (child instanceof HolderSession) child.send({ header, body });
  }

  stop(id: number): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    run.stopped = true;
    run.child?.kill("stopped");
  }

  stopAll(): void {
    for (const id of this.#runs.keys()) this.stop(id);
    this.#pythonStart.stop();
  }

  async #result(run: OpenRun, job: Job): Promise<RunResult> {
    try {
      const env = { DENO_DIR: await this.#denoDir.get() };
      const first = await this.#start(run, { ...job, env });
      if (!isMissingPackage(first)) return first;
      if (!await this.#install(job.program)) return without("not_installed");
      return await this.#start(run, { ...job, env });
    } catch (error) {
      return { ...without("not_started"), errorText: String(error) };
    }
  }

  async #sessionEnd(run: OpenRun, job: SessionJob): Promise<ChildEnd> {
    try {
      const first = await this.#runSession(run, job);
      if (!isMissingPackage(first)) return first;
      if (!await this.#install(job.program)) return { outcome: "not_installed", errorText: "" };
      return await this.#runSession(run, job);
    } catch (error) {
      return { outcome: "not_started", errorText: String(error) };
    }
  }

  /** Holds the files of a container until it is stopped. */
  async #hold(run: OpenRun, { id, memoryMib }: Omit<SessionJob, "program">): Promise<ChildEnd> {
    const { clock, emit, folders } = this.#options;
    try {
      const child = new HolderSession({
        layout: findHostLayout(folders),
        uid: nextContainerUser(),
        memoryMib,
        sessions: this.#sessions,
        clock,
        onFrame: (header, body) => emit({ type: "frame", id, header }, body),
      });
      run.child = child;
      return await child.result;
    } catch (error) {
      if (error instanceof LayoutError) return { outcome: "failed", errorText: error.message };
      return { outcome: "not_started", errorText: String(error) };
    }
  }

  async #runSession(run: OpenRun, { id, program, memoryMib }: SessionJob): Promise<ChildEnd> {
    const { clock, emit } = this.#options;
    const denoDir = await this.#denoDir.get();
    if (run.stopped) return { outcome: "stopped", errorText: "" };
    const child = new ChildSession({
      program: sessionPrograms[program],
      memoryMib,
      denoDir,
      env: { DENO_DIR: denoDir },
      clock,
      onFrame: (header, body) => emit({ type: "frame", id, header }, body),
      onNoStartMemory: () => this.#pythonStart.keep({ denoDir, clock }),
    });
    run.child = child;
    return await child.result;
  }

  async #start(run: OpenRun, { program, input, env }: StartableJob): Promise<RunResult> {
    if (run.stopped) return without("stopped");
    run.child = new ChildRun({ program: programs[program], input, env, clock: this.#options.clock });
    return await run.child.result;
  }

  /** Once at a time; the next run tries again after a failure. */
  #install(program: ProgramName | DenoSessionName): Promise<boolean> {
    return this.#installs.run(program, () => this.#installNow(program));
  }

  async #installNow(program: ProgramName | DenoSessionName): Promise<boolean> {
    const { clock, emit } = this.#options;
    await emit({ type: "installing", program });
    const abort = new AbortController();
    const cancel = clock.after(INSTALL_MS, () => abort.abort());
    try {
      const { success } = await new Deno.Command(Deno.execPath(), {
        args: [...allPrograms[program].installArgs],
        stdin: "null",
        stdout: "null",
        stderr: "null",
        signal: abort.signal,
      }).output();
      return success;
    } finally {
      cancel();
    }
  }
}

interface SessionJob {
  readonly id: number;
  readonly program: DenoSessionName;
  readonly memoryMib: number;
}

const allPrograms = { ...programs, ...sessionPrograms };

interface Job {
  readonly program: ProgramName;
  readonly input: Uint8Array<ArrayBuffer>;
}

interface StartableJob extends Job {
  readonly env: Readonly<Record<string, string>>;
}

const without = (outcome: RunResult["outcome"]): RunResult => ({
  outcome,
  output: new Uint8Array(0),
  errorText: "",
});

/** True for an end at which Deno reports a package that is not in its cache. */
const isMissingPackage = ({ outcome, errorText }: ChildEnd) =>
  outcome === "failed" && errorText.includes("--cached-only");

async function findDenoDir(): Promise<string> {
  const args = ["info", "--json"];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "null" }).output();
  return infoSchema.parse(JSON.parse(new TextDecoder().decode(stdout))).denoDir;
}
