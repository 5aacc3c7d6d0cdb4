/** The models that a key may call, by the gateway's own word: it is asked with that key. */

import type { ConsoleApi } from "../../api.ts";
import { createResource } from "../../resource.ts";

interface ListedModel {
  readonly id: string;
}

/** The server has rendered it by its schema. */
function toModels(body: unknown): readonly ListedModel[] {
  return (body as { readonly data: readonly ListedModel[] }).data;
}

/** Ids of the models of a list. */
export async function readModelIds(response: Response): Promise<readonly string[]> {
  return toModels(await response.json()).map(({ id }) => id);
}

/** Reads the models of a key whose text is known, which is when it was just made. */
export function keyModels(apiKey: string, { api }: { readonly api: Pick<ConsoleApi, "send"> }) {
  const headers = { authorization: `Bearer ${apiKey}` };
  return createResource(async (signal) =>
    await readModelIds(await api.send("GET", "/v1/models/user", { signal, headers }))
  );
}
