/** The guardrails that a key may be given. */

import { type ConsoleApi, operation } from "../../api.ts";
import { readAll } from "../../read_all.ts";

const listGuardrails = operation<"guardrails.list">("GET", "/guardrails");

export interface GuardrailChoice {
  readonly id: string;
  readonly name: string;
  /** Null: keys of every workspace may have it. */
  readonly workspaceId: string | null;
}

export async function readGuardrailChoices(
  api: Pick<ConsoleApi, "call">,
  signal: AbortSignal,
): Promise<readonly GuardrailChoice[]> {
  const guardrails = await readAll((query) => api.call(listGuardrails, { query, signal }));
  return guardrails.map(({ id, name, workspace_id: workspaceId }) => ({ id, name, workspaceId }));
}

/** Guardrails that keys of a workspace may have. */
export function choicesFor(
  choices: readonly GuardrailChoice[],
  workspaceId: string,
): readonly GuardrailChoice[] {
  return choices.filter(({ workspaceId: of }) => of === null || of === workspaceId);
}
