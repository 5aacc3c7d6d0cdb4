/** The guardrail that a key has of its own; a change is saved at once. */

import { signal } from "@preact/signals";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource, toError } from "../../resource.ts";
import { choicesFor, type GuardrailChoice, readGuardrailChoices } from "../guardrails/guardrail_choices.ts";

const listAssignments = operation<"guardrails.assignments.keys.all">("GET", "/guardrails/assignments/keys");
const assign = operation<"guardrails.assignments.keys.add">("POST", "/guardrails/:id/assignments/keys");
const unassign = operation<"guardrails.assignments.keys.remove">(
  "POST",
  "/guardrails/:id/assignments/keys/remove",
);

interface Loaded {
  /** Guardrails that the key's workspace may use. */
  readonly choices: readonly GuardrailChoice[];
  /** Undefined: the key has none. */
  readonly chosen: string | undefined;
}

interface KeyGuardrailDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly hash: string;
  readonly workspaceId: string;
}

export class KeyGuardrailModel {
  readonly #deps: KeyGuardrailDeps;
  readonly guardrail = createResource((abort) => this.#read(abort));
  readonly refusal = signal<Error | undefined>(undefined);

  constructor(deps: KeyGuardrailDeps) {
    this.#deps = deps;
  }

  /** Shows the choice at once, and takes it back where the gateway refuses it. */
  async choose(id: string | undefined): Promise<boolean> {
    const before = this.guardrail.data.value;
    if (before === undefined || before.chosen === id) return false;
    this.refusal.value = undefined;
    this.guardrail.set({ ...before, chosen: id });
    try {
      const body = { key_hashes: [this.#deps.hash] };
      if (id !== undefined) await this.#deps.api.call(assign, { params: { id }, body });
      else if (before.chosen !== undefined) {
        await this.#deps.api.call(unassign, { params: { id: before.chosen }, body });
      }
      return true;
    } catch (error) {
      this.guardrail.set(before);
      this.refusal.value = toError(error);
      return false;
    }
  }

  async #read(signal: AbortSignal): Promise<Loaded> {
    const { api, hash, workspaceId } = this.#deps;
    const [guardrails, { data: [assignment] }] = await Promise.all([
      readGuardrailChoices(api, signal),
      api.call(listAssignments, { query: { key_hash: hash }, signal }),
    ]);
    return { choices: choicesFor(guardrails, workspaceId), chosen: assignment?.guardrail_id };
  }
}
