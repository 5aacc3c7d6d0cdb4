/** The catalog that an operator names in the configuration file: `snapshot.json` of another day, or their own. */

import * as z from "zod";
import type { Config } from "../../config/config.ts";
import type { Provider } from "../endpoint.ts";
import { offerSchema, snapshotSchema } from "./snapshot_schema.ts";
import { loadSnapshot, readSnapshot, type Snapshot } from "./snapshot.ts";

type CatalogFile = NonNullable<Config["catalogFile"]>;

/** The file cannot be used; the message is one sentence for the operator. */
export class CatalogFileError extends Error {}

/** The operator's where the configuration file names one, else the one that came with this version. */
export async function snapshotFor(
  { catalogFile }: Pick<Config, "catalogFile">,
  providers: readonly Pick<Provider, "id">[],
): Promise<Snapshot> {
  return catalogFile === undefined ? await loadSnapshot(providers) : operatorSnapshot(catalogFile);
}

const known = new WeakMap<CatalogFile, Snapshot>();

/** Checks all of it, so that a start tells what is wrong. Throws a CatalogFileError. */
function operatorSnapshot(file: CatalogFile): Snapshot {
  const read = known.get(file);
  if (read !== undefined) return read;
  const { path, json } = file;
  const { data, error } = snapshotSchema.safeParse(json);
  if (data === undefined) throw faultOf(path, { error, at: [] });
  for (const [provider, offers] of Object.entries(data.offers)) {
    for (const [upstream, offer] of Object.entries(offers)) {
      const { error } = offerSchema.safeParse(offer);
      if (error !== undefined) throw faultOf(path, { error, at: ["offers", provider, upstream] });
    }
  }
  const snapshot = readSnapshot(json, { isOperators: true });
  known.set(file, snapshot);
  return snapshot;
}

interface Faulty {
  readonly error: z.ZodError;
  readonly at: readonly PropertyKey[];
}

function faultOf(path: string, { error, at }: Faulty): CatalogFileError {
  const [issue] = error.issues;
  const place = [...at, ...issue?.path ?? []].map(String).join(" → ") || "the file";
  return new CatalogFileError(
    `catalog.file is ${JSON.stringify(path)}, where ${place} is wrong: ${issue?.message ?? ""}`,
  );
}
