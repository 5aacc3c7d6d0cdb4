/**
 * The sandbox of the engine that the settings name, or the best one that works here. What has to be tried first is
 * used only after that: until then, who opens a container waits.
 */

import type { Logger } from "../runtime.ts";
import {
  type CommandSandbox,
  type EngineName,
  type OpenProcessInput,
  type Sandbox,
  SandboxError,
  type SandboxProcess,
} from "./sandbox.ts";

/** The result of trying the engine `bubblewrap`. */
export type Trial =
  /** Why it cannot be used and what to do, in one sentence or two. */
  | { readonly fault: string }
  /** Programs that commands find. */
  | {
    readonly fault: undefined;
    readonly programs: readonly string[];
    /** Version of Python, with everything that a compiled package depends on; undefined where there is none. */
    readonly python: string | undefined;
  };

interface TriedSandbox {
  readonly sandbox: CommandSandbox;
  /** Never rejects; ends early, with a fault, where the signal aborts. */
  readonly tryIt: (signal: AbortSignal) => Promise<Trial>;
}

interface ChosenSandboxOptions {
  /** Undefined: it is not wanted. */
  readonly bubblewrap?: TriedSandbox;
  /** Undefined: it is not wanted, also where the other one cannot be used. */
  readonly virtual?: CommandSandbox;
  /** Settings that the file has and that are for one engine alone. */
  readonly settings: Readonly<Record<EngineName, readonly string[]>>;
  readonly log: Logger;
}

export class ChosenSandbox implements Sandbox {
  readonly #options: ChosenSandboxOptions;
  readonly #closing = new AbortController();
  #engine: EngineName | undefined;
  #chosen: CommandSandbox | undefined;
  #trial: Trial | undefined;
  readonly ready: Promise<void>;

  constructor(options: ChosenSandboxOptions) {
    this.#options = options;
    const { bubblewrap, virtual } = options;
    if (bubblewrap === undefined) {
      this.#choose("virtual", virtual);
      this.#warn();
    }
    this.ready = bubblewrap === undefined ? Promise.resolve() : this.#try(bubblewrap);
  }

  get engine(): EngineName | undefined {
    return this.#engine;
  }

  get engineReason(): string | undefined {
    return this.#engine === "virtual" ? this.#trial?.fault : undefined;
  }

  get programs(): readonly string[] | undefined {
    return this.#trial?.fault === undefined ? this.#trial?.programs : undefined;
  }

  get unavailableReason(): string | undefined {
    return this.#chosen === undefined ? this.#trial?.fault : this.#chosen.unavailableReason;
  }

  get problem(): string | undefined {
    return this.#chosen === undefined ? this.#trial?.fault : this.#chosen.problem;
  }

  async open(input: OpenProcessInput): Promise<SandboxProcess> {
    await this.ready;
    if (this.#chosen !== undefined) return await this.#chosen.open(input);
    throw new SandboxError("unavailable", this.#trial?.fault ?? "");
  }

  get containers(): readonly string[] {
    return this.#chosen?.containers ?? [];
  }

  async end(container: string): Promise<void> {
    await this.#chosen?.end(container);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.ready;
    await Promise.all([this.#options.bubblewrap?.sandbox.close(), this.#options.virtual?.close()]);
  }

  #choose(engine: EngineName, sandbox: CommandSandbox | undefined): void {
    [this.#engine, this.#chosen] = [engine, sandbox];
  }

  #warn(): void {
    const { settings, log } = this.#options;
    for (const setting of settings[this.#engine === "virtual" ? "bubblewrap" : "virtual"]) {
      log.warn("Setting has no effect in this engine of containers", { setting });
    }
  }

  async #try({ sandbox, tryIt }: TriedSandbox): Promise<void> {
    const { signal } = this.#closing;
    const trial = await tryIt(signal);
    this.#trial = trial;
    const { virtual, log } = this.#options;
    if (trial.fault === undefined) this.#choose("bubblewrap", sandbox);
    else if (virtual !== undefined) this.#choose("virtual", virtual);
    if (signal.aborted) return;
    if (this.#chosen !== undefined) this.#warn();
    if (trial.fault === undefined) log.info("Containers run in the engine bubblewrap");
    else if (virtual === undefined) log.error("Commands cannot be run", { reason: trial.fault });
    else if (virtual.unavailableReason === undefined) {
      log.info("Containers run in the engine virtual", { reason: trial.fault });
    }
  }
}
