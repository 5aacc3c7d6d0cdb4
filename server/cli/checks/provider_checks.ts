/** Checks providers for `deno task doctor`: how their endpoints stand, and whether they take the keys. */

import { isRecord, tryParseJson } from "../../../shared/util/json.ts";
import type { Runtime } from "../../runtime.ts";
import { type CheckRow, failed, ok, warning } from "./doctor_rows.ts";

/** A provider of the settings. */
export interface ProviderInput {
  readonly name: string;
  /** Where it lists its models; undefined: nowhere where it could be asked. */
  readonly listUrl: string | undefined;
  /** Headers of its calls. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Endpoints that are named; the others are counted. */
const NAMED = 5;

/** By the answer of `GET /status`: the endpoints that the gateway leaves alone, and why. */
export function endpointChecks(status: unknown): readonly CheckRow[] {
  const data = isRecord(status) && isRecord(status.data) ? status.data : {};
  const endpoints = Array.isArray(data.endpoints) ? data.endpoints.filter(isRecord) : [];
  const listed = (standing: string) => endpoints.filter((endpoint) => endpoint.standing === standing);
  const misconfigured = listed("misconfigured");
  const refused = misconfigured.filter(({ is_byok: own }) => own !== true);
  const refusedOwn = misconfigured.filter(({ is_byok: own }) => own === true);
  const cooling = listed("cooling_down");
  if (misconfigured.length === 0 && cooling.length === 0) {
    return [ok("endpoints", `${endpoints.length} were called since the start, and all are well`)];
  }
  return [
    ...(refused.length === 0
      ? []
      : [failed("endpoints", `the gateway's key is refused: ${namesOf(refused)}`)]),
    ...(refusedOwn.length === 0
      ? []
      : [warning("endpoints", `a workspace's own key is refused: ${namesOf(refusedOwn)}`)]),
    ...(cooling.length === 0 ? [] : [warning("endpoints", `cooling down: ${namesOf(cooling)}`)]),
  ];
}

/** By the same answer: the engine that runs the commands of models, and what would mend it. */
export function containerChecks(status: unknown): readonly CheckRow[] {
  const data = isRecord(status) && isRecord(status.data) ? status.data : {};
  const { configured, ok: isWell, reason, engine, engine_reason: why } = isRecord(data.sandbox)
    ? data.sandbox
    : {};
  if (configured !== true) return [ok("containers", "switched off")];
  if (isWell !== true) return [warning("containers", String(reason))];
  if (typeof why === "string") return [warning("containers", `engine ${engine}: ${why}`)];
  return [ok("containers", engine === null ? "their engine is being tried" : `engine ${engine}`)];
}

function namesOf(endpoints: readonly Readonly<Record<string, unknown>>[]): string {
  const names = endpoints.slice(0, NAMED).map(({ provider_name: provider, model, reason }) =>
    `${provider} ${model} (${reason})`
  );
  const more = endpoints.length - names.length;
  return names.join("; ") + (more > 0 ? `, and ${more} more` : "");
}

/** A list takes a provider at most so long. */
const LIST_MS = 10_000;

type AskingRuntime = Pick<Runtime, "clock" | "fetch">;

/** Asks each provider once, all at the same time. A list costs nothing. */
export function modelListChecks(
  runtime: AskingRuntime,
  providers: readonly ProviderInput[],
): Promise<readonly CheckRow[]> {
  return Promise.all(providers.map((provider) => modelListCheck(runtime, provider)));
}

async function modelListCheck(runtime: AskingRuntime, provider: ProviderInput): Promise<CheckRow> {
  const check = `key of ${provider.name}`;
  const { listUrl, headers } = provider;
  if (listUrl === undefined) return ok(check, "not tried: it has no list of models to ask for with it");
  const answer = await readList(runtime, { url: listUrl, headers });
  if (answer === undefined) return warning(check, `not tried: ${new URL(listUrl).host} does not answer`);
  const { status, body } = answer;
  if ([401, 402, 403].includes(status) || isWrongKey(body)) {
    return failed(check, `refused (status ${status}): correct it and start the gateway again`);
  }
  if (status >= 200 && status < 300) return ok(check, `accepted: ${modelCount(body)} models are listed`);
  return warning(check, `not tried: the list of models is answered with status ${status}`);
}

interface ListRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface ListAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Undefined where nothing came, or not in time. A redirect is not followed: it would get the key. */
async function readList(
  { clock, fetch: get }: AskingRuntime,
  { url, headers }: ListRequest,
): Promise<ListAnswer | undefined> {
  const abort = new AbortController();
  const cancel = clock.after(LIST_MS, () => abort.abort());
  try {
    const response = await get(url, { headers, redirect: "manual", signal: abort.signal });
    return { status: response.status, body: tryParseJson(await response.text()) };
  } catch (error) {
    if (error instanceof TypeError || abort.signal.aborted) return undefined;
    throw error;
  } finally {
    cancel();
  }
}

/** Google says with 400 that a key is wrong. */
function isWrongKey(body: unknown): boolean {
  const error = isRecord(body) ? body.error : undefined;
  const details = isRecord(error) && Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  return details.some(({ reason }) => reason === "API_KEY_INVALID");
}

/** Lists stand under `data`, `models` or `voices`, or by themselves. */
function modelCount(body: unknown): number {
  const lists = isRecord(body) ? [body.data, body.models, body.voices] : [body];
  return lists.find(Array.isArray)?.length ?? 0;
}
