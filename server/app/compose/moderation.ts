/** Puts together the service that judges what requests send. */

import { parseUsd } from "../../../shared/money.ts";
import { tryParseJson, writeJson } from "../../../shared/util/json.ts";
import type { CompositionParts } from "../composition_parts.ts";
import type { ModerationSettings } from "../../config/moderation_settings.ts";
import type { ModerationService } from "../../pipeline/plugins/moderation/moderation_service.ts";
import { Moderator } from "../../pipeline/plugins/moderation/moderator.ts";
import { KeptConnectionEnded, type UpstreamRequest } from "../../providers/upstream/transport.ts";

/** Longest reply: a service says little about each text. */
const MOST_BYTES = 1024 * 1024;

interface ServiceAddress {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Parts = Pick<CompositionParts, "config" | "transport" | "catalog">;

/** Undefined where no service is set. */
export function createModerator(parts: Parts): Moderator | undefined {
  const { config: { moderation } } = parts;
  return moderation && new Moderator(serviceOf(moderation, parts));
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
