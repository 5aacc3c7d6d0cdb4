/** Which keys and members have a guardrail; each change is saved at once. */

import { computed, signal } from "@preact/signals";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource, toError } from "../../resource.ts";

const listKeys = operation<"guardrails.assignments.keys.list">("GET", "/guardrails/:id/assignments/keys");
const addKeys = operation<"guardrails.assignments.keys.add">("POST", "/guardrails/:id/assignments/keys");
const removeKeys = operation<"guardrails.assignments.keys.remove">(
  "POST",
  "/guardrails/:id/assignments/keys/remove",
);
const listMembers = operation<"guardrails.assignments.members.list">(
  "GET",
  "/guardrails/:id/assignments/members",
);
const addMembers = operation<"guardrails.assignments.members.add">(
  "POST",
  "/guardrails/:id/assignments/members",
);
const removeMembers = operation<"guardrails.assignments.members.remove">(
  "POST",
  "/guardrails/:id/assignments/members/remove",
);
const findKeys = operation<"keys.list">("GET", "/keys");

const SHOWN = 100;
const FOUND = 6;

interface GuardrailHoldersDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly id: string;
  /** Null: keys of every workspace can have it. */
  readonly workspaceId: string | null;
  readonly onChange: () => void;
}

export class GuardrailHoldersModel {
  readonly #deps: GuardrailHoldersDeps;
  readonly keys = createResource((signal) =>
    this.#deps.api.call(listKeys, { ...this.#params, query: { limit: SHOWN }, signal })
  );
  readonly members = createResource((signal) =>
    this.#deps.api.call(listMembers, { ...this.#params, query: { limit: SHOWN }, signal })
  );
  /** Keys by what is typed, the youngest without. */
  readonly #search = createResource((signal) =>
    this.#deps.api.call(findKeys, {
      query: {
        q: this.typedKey.peek().trim() || undefined,
        sort: "created",
        include_disabled: false,
        workspace_id: this.#deps.workspaceId ?? "all",
        limit: FOUND,
      },
      signal,
    })
  );
  readonly typedKey = signal("");
  readonly typedMember = signal("");
  readonly keyRefusal = signal<Error | undefined>(undefined);
  readonly memberRefusal = signal<Error | undefined>(undefined);

  constructor(deps: GuardrailHoldersDeps) {
    this.#deps = deps;
  }

  /** Keys that can be added: found, and not among those that have it. */
  readonly found = computed(() => {
    const own = new Set((this.keys.data.value?.data ?? []).map(({ key_hash: hash }) => hash));
    return this.#search.data.value?.data.filter(({ hash }) => !own.has(hash));
  });

  get #params() {
    return { params: { id: this.#deps.id } };
  }

  async load(): Promise<void> {
    await Promise.all([this.keys.load(), this.members.load(), this.#search.load()]);
  }

  stop(): void {
    for (const resource of [this.keys, this.members, this.#search]) resource.stop();
  }

  async findKeys(text: string): Promise<void> {
    this.typedKey.value = text;
    await this.#search.load();
  }

  async addKey(hash: string): Promise<void> {
    await this.#change(this.keyRefusal, async () => {
      await this.#deps.api.call(addKeys, { ...this.#params, body: { key_hashes: [hash] } });
      await this.keys.load();
    });
  }

  async removeKey(hash: string): Promise<void> {
    await this.#change(this.keyRefusal, async () => {
      await this.#deps.api.call(removeKeys, { ...this.#params, body: { key_hashes: [hash] } });
      await this.keys.load();
    });
  }

  async addMember(): Promise<void> {
    const user = this.typedMember.value.trim();
    if (user === "") return;
    await this.#change(this.memberRefusal, async () => {
      await this.#deps.api.call(addMembers, { ...this.#params, body: { member_user_ids: [user] } });
      this.typedMember.value = "";
      await this.members.load();
    });
  }

  async removeMember(user: string): Promise<void> {
    await this.#change(this.memberRefusal, async () => {
      await this.#deps.api.call(removeMembers, { ...this.#params, body: { member_user_ids: [user] } });
      await this.members.load();
    });
  }

  async #change(refusal: { value: Error | undefined }, run: () => Promise<void>): Promise<void> {
    refusal.value = undefined;
    try {
      await run();
      this.#deps.onChange();
    } catch (error) {
      refusal.value = toError(error);
    }
  }
}
