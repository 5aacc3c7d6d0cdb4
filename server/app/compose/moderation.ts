/** Puts together the service that judges what requests send. */

import { parseUsd } from "../../../shared/money.ts";
import { tryParseJson, writeJson } from "../../../shared/util/json.ts";
import type { CompositionParts } from "../composition_parts.ts";
import type { ModerationSettings } from "../../config/moderation_settings.ts";
import type { ModerationService } from "../../pipeline/plugins/moderation/moderation_service.ts";
import { Moderator } from "../../pipeline/plugins/moderation/moderator.ts";
import { fetchTransport } from "../../providers/upstream/fetch_transport.ts";
import { KeptConnectionEnded, type UpstreamRequest } from "../../providers/upstream/transport.ts";

/** Longest reply: a service says little about each text. */
const MOST_BYTES = 1024 * 1024;

const PROBE_MS = 10_000;

interface ServiceAddress {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Parts extends Pick<CompositionParts, "config" | "transport"> {
  readonly catalog: Pick<CompositionParts["catalog"], "models">;
}

/** Undefined where no service is set. */
export function createModerator(parts: Parts): Moderator | undefined {
  const { config: { moderation } } = parts;
  return moderation && new Moderator(serviceOf(moderation, parts));
}

/** Asks the service whose address is set for a verdict on a harmless text; the reason where there is none. */
export function moderationProbe(
  { config, runtime }: Pick<CompositionParts, "config" | "runtime">,
): (() => Promise<string | undefined>) | undefined {
  if (config.moderation?.baseUrl === undefined) return undefined;
  const moderator = createModerator({
    config,
    transport: fetchTransport(runtime.fetch),
    catalog: { models: [] },
  });
  return async () => {
    const abort = new AbortController();
    const cancel = runtime.clock.after(PROBE_MS, () => abort.abort(new Error("it took too long")));
    const judgement = await moderator?.probe(abort.signal);
    cancel();
    if (judgement?.type !== "failed") return undefined;
    return judgement.error instanceof Error ? judgement.error.message.slice(0, 200) : "unknown";
  };
}

/** The address is the operator's: it is trusted, and no caller can name another. */
function serviceOf(
  moderation: ModerationSettings,
  { transport, catalog }: Omit<Parts, "config">,
): ModerationService {
  const { wire, model, name, thresholds, policy, fail, price } = moderation;
  const { baseUrl, headers } = addressOf(moderation, catalog);
  const ask: ModerationService["ask"] = async ({ path, body }, signal) => {
    const call: UpstreamRequest = {
      url: baseUrl + path,
      baseUrl,
      credentialHash: "moderation",
      headers: { ...headers, "content-type": "application/json" },
      body: writeJson(body),
      signal,
    };
    const reply = await transport(call).catch((error: unknown) => {
      if (!(error instanceof KeptConnectionEnded)) throw error;
      return transport({ ...call, fresh: true });
    });
    if (reply.status === 200) return tryParseJson(await reply.text(MOST_BYTES));
    reply.discard();
    throw new Error(`The service answers with status ${reply.status}`);
  };
  const cost = price === undefined ? undefined : parseUsd(price);
  return { wire, model, name, thresholds, policy, fail, price: cost, ask };
}

function addressOf({ baseUrl, key }: ModerationSettings, catalog: Parts["catalog"]): ServiceAddress {
  if (baseUrl !== undefined) {
    return { baseUrl, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } };
  }
  const builtIn = catalog.models.flatMap(({ endpoints }) => endpoints).find(({ provider }) =>
    provider.builtIn
  );
  if (builtIn === undefined) throw new Error("The built-in provider is not there");
  return builtIn.provider;
}
