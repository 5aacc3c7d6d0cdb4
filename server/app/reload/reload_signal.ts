/** SIGHUP as supervisors send it: the settings are read again. */

/** Keeps a signal that comes while the gateway starts until it can reload. */
export class ReloadSignal {
  #reload: (() => Promise<void>) | undefined;
  #isPending = false;

  receive(): void {
    if (this.#reload === undefined) this.#isPending = true;
    else void this.#reload();
  }

  /** From now on signals reload. `reload` never rejects. */
  open(reload: () => Promise<void>): void {
    this.#reload = reload;
    if (this.#isPending) void reload();
  }
}

interface SignalPlace {
  readonly isWindows: boolean;
  /** Whether somebody types at it: a terminal that closes sends the same signal, and ends the gateway. */
  readonly isTerminal: boolean;
}

/** Whether SIGHUP asks for a reload here. */
export const isReloadSignal = ({ isWindows, isTerminal }: SignalPlace): boolean => !isWindows && !isTerminal;
