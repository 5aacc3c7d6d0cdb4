/** The limits that are nearest to being reached, so many of them. */

export interface NamedLimit {
  readonly subject: "key" | "workspace";
  /** Hash of the key, or id of the workspace. */
  readonly id: string;
  readonly name: string;
  readonly workspaceId: string;
  /** The scope under which the ledger counts what is spent of it. */
  readonly scope: string;
  readonly interval: "daily" | "weekly" | "monthly" | "lifetime";
  /** USD. */
  readonly limit: number;
  readonly left: number;
}

export class NearestLimits {
  readonly #most: number;
  #limits: NamedLimit[] = [];

  /** Keeps none where `most` is 0. */
  constructor(most: number) {
    this.#most = most;
  }

  add(limit: NamedLimit): void {
    if (this.#most === 0) return;
    this.#limits.push(limit);
    // Sorted now and then: there may be 100,000.
    if (this.#limits.length >= 2 * this.#most + 100) this.#limits = this.list();
  }

  list(): NamedLimit[] {
    return this.#limits.toSorted((one, other) => share(one) - share(other)).slice(0, this.#most);
  }
}

/** Share of a limit that is left; a limit of 0 is reached from the beginning. */
const share = ({ left, limit }: NamedLimit): number => limit === 0 ? 0 : left / limit;
