/** A sandbox that is used only after it has been tried: until then, who opens a container waits. */

import type { Logger } from "../runtime.ts";
import { type OpenProcessInput, type Sandbox, SandboxError, type SandboxProcess } from "./sandbox.ts";

/** The result of trying a sandbox. */
export type Trial =
  /** Why it cannot be used, in one sentence. */
  | { readonly fault: string }
  /** Programs that commands find. */
  | { readonly fault: undefined; readonly programs: readonly string[] };

interface TriedSandboxOptions {
  readonly sandbox: Sandbox;
  readonly tried: Promise<Trial>;
  readonly log: Logger;
}

export class TriedSandbox implements Sandbox {
  readonly #options: TriedSandboxOptions;
  #fault: string | undefined;
  #programs: readonly string[] = [];

  constructor(options: TriedSandboxOptions) {
    this.#options = options;
    options.tried.then((trial) => {
      this.#fault = trial.fault;
      if (trial.fault === undefined) this.#programs = trial.programs;
      else options.log.error("Commands cannot be run", { reason: trial.fault });
    });
  }

  get unavailableReason(): string | undefined {
    return this.#fault ?? this.#options.sandbox.unavailableReason;
  }

  get programs(): readonly string[] {
    return this.#programs;
  }

  get problem(): string | undefined {
    return this.#fault ?? this.#options.sandbox.problem;
  }

  async open(input: OpenProcessInput): Promise<SandboxProcess> {
    const { fault } = await this.#options.tried;
    if (fault !== undefined) throw new SandboxError("unavailable", fault);
    return await this.#options.sandbox.open(input);
  }

  end(container: string): Promise<void> {
    return this.#options.sandbox.end(container);
  }

  close(): Promise<void> {
    return this.#options.sandbox.close();
  }
}
