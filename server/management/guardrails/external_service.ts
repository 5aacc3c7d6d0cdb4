/** The service of a guardrail as it is saved and shown: whether the settings let it be called and have its variable. */

import { ApiError } from "../../../shared/errors.ts";
import type { ExternalGuardrail } from "../../../shared/external_guardrail.ts";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { FilterWarning } from "./content_filters.ts";

type Service = Pick<GuardrailRecord, "external">;

/** Settings of the configuration file that limit what services may do. */
type ServiceSettings = Pick<ManagementDeps, "guardrailHeaders" | "fetchFault">;

interface ServiceFault {
  readonly field: NonNullable<ExternalGuardrail["fault_at"]>;
  /** The rest of a sentence. */
  readonly fault: string;
}

const pathOf = ({ field }: ServiceFault) => `external.${field}`;

function faultsOf({ external }: Service, settings: ServiceSettings): readonly ServiceFault[] {
  if (external === null) return [];
  const faults = [
    { field: "url", fault: settings.fetchFault(external.url) },
    { field: "header_env", fault: headerFault(external.header_env, settings) },
  ] as const;
  return faults.flatMap(({ field, fault }) => fault === undefined ? [] : [{ field, fault }]);
}

function headerFault(name: string | null, { guardrailHeaders }: ServiceSettings): string | undefined {
  if (name === null || guardrailHeaders.has(name)) return undefined;
  return `is ${name}, which the setting fetch.header_env of the configuration file does not name`;
}

/** As the operations show it: with the first of its faults. */
export function describeExternal<Shown extends Service>(shown: Shown, settings: ServiceSettings): Shown {
  const [first] = faultsOf(shown, settings);
  const { external } = shown;
  if (first === undefined || external === null) return shown;
  return { ...shown, external: { ...external, fault: first.fault, fault_at: first.field } };
}

interface ExternalCheck {
  readonly verb: string;
  readonly settings: ServiceSettings;
  /** As it is stored: what is in it stays, whatever the settings say now. */
  readonly before?: Service;
}

/** Throws an ApiError (400) for an address that may not be called, and for a variable that may not be sent. */
export function checkExternal(next: Service, { verb, settings, before }: ExternalCheck): void {
  for (const found of faultsOf(next, settings)) {
    if (next.external?.[found.field] === before?.external?.[found.field]) continue;
    const path = pathOf(found);
    throw new ApiError("invalid_request", `Cannot ${verb}: ${path} ${found.fault}`, { metadata: { path } });
  }
}

export const externalWarnings = (row: Service, settings: ServiceSettings): readonly FilterWarning[] =>
  faultsOf(row, settings).map((found) => {
    const path = pathOf(found);
    const message = `Is not asked and counts as failed, and would be refused now: ${path} ${found.fault}`;
    return { path, message };
  });
