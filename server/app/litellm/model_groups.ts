/** Names by which LiteLLM's callers ask for models → the models here that they stand for. */

interface Member {
  readonly id: string;
  /** Rank among the rows of its name: the lowest is asked first. */
  readonly order?: number | null;
}

interface NewMember extends Member {
  /** Groups by which keys and teams are given the name. */
  readonly accessGroups?: readonly string[] | null;
}

export class ModelGroups {
  readonly #members = new Map<string, Member[]>();
  readonly #names = new Map<string, Set<string>>();
  /** Other name → name. */
  readonly #aliases = new Map<string, string>();
  /** Pattern of names there → pattern of ids here. */
  readonly #patterns = new Map<string, string>();
  readonly #find: (name: string) => string | undefined;

  /** `find` knows the id of a model that no row names, by its name at LiteLLM. */
  constructor(find: (name: string) => string | undefined) {
    this.#find = find;
  }

  add(name: string, { accessGroups, ...member }: NewMember): void {
    const members = this.#members.get(name) ?? [];
    members.push(member);
    this.#members.set(name, members);
    for (const group of accessGroups ?? []) {
      this.#names.set(group, (this.#names.get(group) ?? new Set()).add(name));
    }
  }

  addAlias(name: string, target: string): void {
    this.#aliases.set(name, target);
  }

  addPattern(name: string, ids: string): void {
    this.#patterns.set(name, ids);
  }

  /** Names of rows and their other names. */
  get names(): readonly string[] {
    return [...this.#members.keys(), ...this.#aliases.keys()];
  }

  /** The name that another one stands for; itself where it is none. */
  meant(name: string): string {
    return this.#aliases.get(name) ?? name;
  }

  /** Ids in the order in which they are asked; empty for a name that nothing here stands for. */
  idsOf(name: string): readonly string[] {
    const members = this.#members.get(this.meant(name));
    if (members === undefined) {
      const found = this.#find(this.meant(name));
      return found === undefined ? [] : [found];
    }
    const ranked = members.toSorted((one, other) => rankOf(one) - rankOf(other));
    return [...new Set(ranked.map(({ id }) => id))];
  }

  /** Ids and patterns of ids for what a list of a key or a team names: a model, a pattern, a group of names. */
  allowed(name: string): readonly string[] {
    const pattern = this.#patterns.get(name);
    if (pattern !== undefined) return [pattern];
    const grouped = this.#names.get(name);
    return [...new Set([...this.idsOf(name), ...[...grouped ?? []].flatMap((one) => this.idsOf(one))])];
  }
}

const rankOf = ({ order }: Member): number => order ?? Number.MAX_SAFE_INTEGER;
