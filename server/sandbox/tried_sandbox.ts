/** A sandbox that is used only after it has been tried: until then, who opens a container waits. */

import type { Logger } from "../runtime.ts";
import { type OpenProcessInput, type Sandbox, SandboxError, type SandboxProcess } from "./sandbox.ts";

interface TriedSandboxOptions {
  readonly sandbox: Sandbox;
  /** Why it cannot be used, in one sentence. */
  readonly fault: Promise<string | undefined>;
  readonly log: Logger;
}

export class TriedSandbox implements Sandbox {
  readonly #options: TriedSandboxOptions;
  #fault: string | undefined;

  constructor(options: TriedSandboxOptions) {
    this.#options = options;
    options.fault.then((fault) => {
      this.#fault = fault;
      if (fault !== undefined) options.log.error("Commands cannot be run", { reason: fault });
    });
  }

  get unavailableReason(): string | undefined {
    return this.#fault ?? this.#options.sandbox.unavailableReason;
  }

  get problem(): string | undefined {
    return this.#fault ?? this.#options.sandbox.problem;
  }

  async open(input: OpenProcessInput): Promise<SandboxProcess> {
    const fault = await this.#options.fault;
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
