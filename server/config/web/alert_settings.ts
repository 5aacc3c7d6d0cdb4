/** Setting of the configuration file for where alerts are sent, `alerts` (docs/alerts.md). */

import * as z from "zod";
import { type AlertFormat, alertFormats } from "../../../shared/management/alerts.ts";
import { isWebhookSecret } from "../../../shared/observability/webhook_secret.ts";
import { ConfigError } from "../config_error.ts";
import { variableName } from "../keys/provider_keys.ts";
import { strictObject } from "../strict_object.ts";
import { readVariable, type VariableSource } from "../variables.ts";

const isWebUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "");
const ADDRESS = "an http or https address";

export const alertsSchema = strictObject({
  webhook: strictObject({
    url: z.string().max(2_000).refine(isWebUrl, ADDRESS).optional(),
    /** Name of the environment variable that holds the address, where that is a secret as Slack's are. */
    url_env: variableName.optional(),
    /** Name of the environment variable that holds the secret by which bodies are signed. */
    secret_env: variableName.optional(),
    format: z.enum(alertFormats).default("json"),
  }).optional(),
});

type AlertsRow = z.output<typeof alertsSchema>;

/** Where alerts are sent, and how. */
export interface AlertWebhook {
  readonly url: string;
  /** `whsec_` and base64; undefined: bodies are not signed. */
  readonly secret: string | undefined;
  readonly format: AlertFormat;
}

/** The variables that it names; each holds a secret. */
export const alertVariables = ({ webhook }: AlertsRow): readonly (string | undefined)[] => [
  webhook?.url_env,
  webhook?.secret_env,
];

/** Throws a ConfigError where a variable is not set or holds something else, or an address or secret is missing. */
export function readAlerts(
  source: VariableSource,
  { webhook }: AlertsRow,
): { readonly alertWebhook?: AlertWebhook } {
  if (webhook === undefined) return {};
  const { url: written, url_env, secret_env, format } = webhook;
  if ((written === undefined) === (url_env === undefined)) {
    throw new ConfigError("alerts.webhook needs url or url_env: allowed is one of them");
  }
  if (secret_env === undefined && format === "json") {
    throw new ConfigError("alerts.webhook.secret_env is missing: bodies in json are signed");
  }
  const url = written ??
    valueOf(source, { field: "url_env", name: url_env, isValid: isWebUrl, what: ADDRESS });
  const what = "whsec_ and the base64 of 24 to 64 bytes";
  const secret = valueOf(source, { field: "secret_env", name: secret_env, isValid: isWebhookSecret, what });
  return { alertWebhook: { url: url ?? "", secret, format } };
}

interface NamedValue {
  readonly field: string;
  readonly name: string | undefined;
  readonly isValid: (text: string) => boolean;
  /** The rest of the sentence: what is allowed. */
  readonly what: string;
}

/** The text itself is not repeated. */
function valueOf(source: VariableSource, { field, name, isValid, what }: NamedValue): string | undefined {
  if (name === undefined) return undefined;
  const text = readVariable(source, name);
  if (text === undefined) throw new ConfigError(`alerts.webhook.${field} is ${name}, which is not set`);
  if (isValid(text)) return text;
  throw new ConfigError(`${name} is not usable (${text.length} characters): allowed is ${what}`);
}
