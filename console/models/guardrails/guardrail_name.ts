/** Name of a guardrail that is known by its id alone. */

import { type ConsoleApi, operation } from "../../api.ts";
import { readAll } from "../../read_all.ts";
import { createResource } from "../../resource.ts";

const listGuardrails = operation<"guardrails.list">("GET", "/guardrails");

interface GuardrailNameDeps {
  readonly api: Pick<ConsoleApi, "call">;
  /** Id of the guardrail; undefined for none. */
  readonly id: () => string | undefined;
}

/** Undefined where there is none with this id any more. Read from the list, which a deleted one does not fail. */
export function guardrailName({ api, id }: GuardrailNameDeps) {
  return createResource(async (signal) => {
    const wanted = id();
    if (wanted === undefined) return undefined;
    const all = await readAll((query) => api.call(listGuardrails, { query, signal }));
    return all.find((guardrail) => guardrail.id === wanted)?.name;
  });
}
