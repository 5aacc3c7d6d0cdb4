/** The members of a workspace. */

import { signal } from "@preact/signals";
import { type ConsoleApi, operation } from "../api.ts";
import { createResource, toError } from "../resource.ts";

const listMembers = operation<"workspaces.members.list">("GET", "/workspaces/:id/members");
const addMembers = operation<"workspaces.members.add">("POST", "/workspaces/:id/members/add");
const removeMembers = operation<"workspaces.members.remove">("POST", "/workspaces/:id/members/remove");

export class MembersModel {
  readonly #id: string;
  readonly #api: Pick<ConsoleApi, "call">;
  readonly list = createResource((signal) =>
    this.#api.call(listMembers, { params: { id: this.#id }, query: { limit: 100 }, signal })
  );
  readonly typed = signal("");
  readonly refusal = signal<Error | undefined>(undefined);

  constructor(id: string, api: Pick<ConsoleApi, "call">) {
    this.#id = id;
    this.#api = api;
  }

  async add(): Promise<void> {
    const user = this.typed.value.trim();
    if (user === "") return;
    await this.#change(async () => {
      await this.#api.call(addMembers, { params: { id: this.#id }, body: { user_ids: [user] } });
      this.typed.value = "";
    });
  }

  async remove(user: string): Promise<void> {
    await this.#change(async () => {
      await this.#api.call(removeMembers, { params: { id: this.#id }, body: { user_ids: [user] } });
    });
  }

  async #change(run: () => Promise<void>): Promise<void> {
    this.refusal.value = undefined;
    try {
      await run();
      await this.list.load();
    } catch (error) {
      this.refusal.value = toError(error);
    }
  }
}
