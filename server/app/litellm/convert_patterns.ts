/** Rows that stand for many models (`openai/*`): what a provider that takes any name makes of them. */

import type { ImportReport } from "./import_report.ts";
import type { ModelGroups } from "./model_groups.ts";
import type { OwnServers } from "./own_servers.ts";
import { clouds, type ReadRow, services, switched } from "./services.ts";

interface PatternDeps {
  readonly report: ImportReport;
  readonly servers: OwnServers;
  readonly groups: ModelGroups;
}

export const isPattern = ({ name, model }: Pick<ReadRow, "name" | "model">): boolean =>
  name.includes("*") || model.includes("*");

export function convertPattern(read: ReadRow, deps: PatternDeps): void {
  const { model, place, prefix, row: { litellm_params: { api_base: base, model: whole } } } = read;
  if (whole === "*") {
    deps.groups.addPattern(read.name, "*");
    deps.report.changed.push(`${place}: every model of a provider that is on is there, by its id`);
    return;
  }
  if (!model.includes("*")) {
    deps.report.impossible(`${place}: one model for every name: name ${whole} itself, or default_model`);
    return;
  }
  if (base && !clouds.has(prefix)) convertServer(read, deps);
  else convertService(read, deps);
}

/** `house/*` at an address → a provider `house` that sends on whatever is behind its id. */
function convertServer(read: ReadRow, { report, servers, groups }: PatternDeps): void {
  const wanted = /^([a-z0-9]+(?:-[a-z0-9]+)*)\/\*$/.exec(read.name)?.[1];
  const id = servers.open(read, wanted);
  if (id === undefined) return;
  groups.addPattern(read.name, `${id}/*`);
  if (id === wanted && read.model === "*") {
    report.done.push(`${read.place}: ${id}/<model> is sent on as <model>`);
  } else report.changed.push(`${read.place}: named ${id}/<model>, sent on as <model>`);
}

/** A built-in service takes any model by its own name behind the service's id. */
function convertService(read: ReadRow, { report, groups }: PatternDeps): void {
  const { name, prefix, service, model, place, keyName } = read;
  const found = services.get(service);
  const cloud = switched.get(prefix);
  const id = found?.id ?? cloud?.idOf("").replace(/\/$/, "");
  if (id === undefined) {
    report.impossible(`${place}: the provider ${service} is not built in and has no api_base`);
    return;
  }
  const variables = found?.keyEnv ?? cloud?.variables ?? "";
  groups.addPattern(name, `${id}/*`);
  if (keyName !== undefined && found !== undefined && keyName !== found.keyEnv) {
    report.changeOnce(place, `its key is read from ${found.keyEnv} instead of ${keyName}`);
  }
  const narrow = model === "*" ? "" : `, not only ${model}`;
  if (name === `${id}/*` && narrow === "") {
    report.done.push(`${place}: with ${variables} every ${id}/<model> is sent on as <model>`);
    return;
  }
  const bare = name === "*" ? ", and a known model by its bare name" : "";
  report.changed.push(`${place}: with ${variables} named ${id}/<model>${narrow}${bare}`);
}
