/** The service of a guardrail as it is saved and shown: whether the settings let it have its variable. */

import { ApiError } from "../../../shared/errors.ts";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import type { FilterWarning } from "./content_filters.ts";

type Service = Pick<GuardrailRecord, "external">;

/** The variables that `fetch.header_env` of the configuration file names. */
export type HeaderNames = Pick<ReadonlySet<string>, "has">;

const PATH = "external.header_env";

function faultOf({ external }: Partial<Service>, names: HeaderNames): string | undefined {
  const name = external?.header_env ?? null;
  if (name === null || names.has(name)) return undefined;
  return `is ${name}, which the setting fetch.header_env of the configuration file does not name`;
}

/** As the operations show it. */
export function describeExternal<Shown extends Service>(shown: Shown, names: HeaderNames): Shown {
  const fault = faultOf(shown, names);
  const { external } = shown;
  return fault === undefined || external === null ? shown : { ...shown, external: { ...external, fault } };
}

export interface ExternalCheck {
  readonly verb: string;
  readonly names: HeaderNames;
  /** As it is stored: its variable stays, whatever the settings say now. */
  readonly before?: Service;
}

/** Throws an ApiError (400) for a variable that may not be sent. */
export function checkExternal(next: Service, { verb, names, before }: ExternalCheck): void {
  const fault = faultOf(next, names);
  if (fault === undefined || next.external?.header_env === before?.external?.header_env) return;
  throw new ApiError("invalid_request", `Cannot ${verb}: ${PATH} ${fault}`, { metadata: { path: PATH } });
}

export function externalWarnings(row: Service, names: HeaderNames): readonly FilterWarning[] {
  const fault = faultOf(row, names);
  if (fault === undefined) return [];
  const message = `Is not asked and counts as failed, and would be refused now: ${PATH} ${fault}`;
  return [{ path: PATH, message }];
}
