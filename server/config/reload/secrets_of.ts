/** Values of the settings that no line of the log may show. */

import type { Config } from "../config.ts";

/** Shorter values are cut out of no log line: they would be words, such as the `ollama` that Ollama takes as a key. */
const MIN_SECRET_CHARS = 12;

export const secretsOf = (
  { providerEnv, guardrailHeaders, moderation, alertWebhook, store, metricsToken }: Config,
): readonly string[] =>
  [
    ...providerEnv.values(),
    ...guardrailHeaders.values(),
    moderation?.key ?? "",
    alertWebhook?.url ?? "",
    alertWebhook?.secret ?? "",
    store?.password ?? "",
    metricsToken ?? "",
  ]
    .filter(({ length }) => length >= MIN_SECRET_CHARS);
