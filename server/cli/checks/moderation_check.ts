/** Checks of the plugin moderation for `deno task doctor`: its service, and workspaces that want one. */

import { isRecord } from "../../../shared/util/json.ts";
import { type DoctorOptions } from "./doctor_options.ts";
import { type CheckRow, failed, listOf, ok, type ReadOperation, warning } from "./doctor_rows.ts";

interface ServiceOptions extends Pick<DoctorOptions, "probe"> {
  readonly config: Pick<DoctorOptions["config"], "moderation">;
}

const CHECK = "moderation";
/** Most that a page of a list holds. */
const PAGE = 100;

/** Asks the service for a verdict on a harmless text. */
export async function moderationService(
  { config: { moderation }, probe }: ServiceOptions,
): Promise<CheckRow> {
  if (moderation === undefined) return ok(CHECK, "no service is set");
  const name = `${moderation.name} (${moderation.model})`;
  if (moderation.baseUrl === undefined) return warning(CHECK, `${name} is simulated and judges nothing`);
  const fault = await probe?.();
  if (fault === undefined) return ok(CHECK, `${name} gives verdicts`);
  const then = moderation.fail === "closed" ? "refused" : "let through";
  return failed(
    CHECK,
    `${name} gives no verdict, so requests are ${then}: ${fault}. Look at moderation in the configuration file`,
  );
}

/** Workspaces whose default moderation has no service. */
export async function moderationDefaults(
  options: Pick<ServiceOptions, "config"> & Pick<DoctorOptions, "isElsewhere">,
  read: ReadOperation,
): Promise<readonly CheckRow[]> {
  if (options.config.moderation !== undefined) return [];
  const noted: string[] = [];
  const refused: string[] = [];
  for (let offset = 0, more = true; more; offset += PAGE) {
    const page = listOf(await read(`/workspaces?limit=${PAGE}&offset=${offset}`));
    for (const { slug, default_plugins: plugins } of page) {
      const own = Array.isArray(plugins)
        ? plugins.filter(isRecord).find(({ id }) => id === CHECK)
        : undefined;
      if (own !== undefined) (own.locked === true ? refused : noted).push(String(slug));
    }
    more = page.length === PAGE;
  }
  const all = [...refused, ...noted];
  if (options.isElsewhere && all.length > 0) {
    const found = `the workspaces ${all.join(", ")} want it: look whether the gateway has a service`;
    return [warning(CHECK, found)];
  }
  const set = "set moderation in the configuration file";
  return [
    ...(refused.length === 0
      ? []
      : [failed(CHECK, `every request of the workspaces ${refused.join(", ")} is refused: ${set}`)]),
    ...(noted.length === 0
      ? []
      : [warning(CHECK, `requests of the workspaces ${noted.join(", ")} are not judged: ${set}`)]),
  ];
}
