/** A provider's words for its failure, fit for the client's eyes. */

import { secretCutter } from "../../../shared/util/cut_secrets.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import type { Failure } from "../../protocols/canonical/event.ts";
import { redact } from "../../logger.ts";
import type { Credential } from "../../providers/credential.ts";
import type { RequestGuards } from "../request_context.ts";
import type { Endpoint } from "../../providers/endpoint.ts";

const MESSAGE_CHARS = 500;

/** Headers that a token went out in with the latest call that it authorised. */
const signedHeaders = new WeakMap<Credential, readonly string[]>();

/** Notes the headers that authorise a call, so that no error of the provider repeats them. */
export function noteSignedHeaders(credential: Credential, headers: Readonly<Record<string, string>>): void {
  // A signature is of one call, and its parts are known.
  if (credential.type !== "aws_keys") signedHeaders.set(credential, Object.values(headers));
}

/** Texts of our key that a provider may repeat: the headers that each of its calls carries, bare, and their parts. */
function secretsOf({ provider: { headers, credential } }: Endpoint): readonly string[] {
  const signed = credential && signedHeaders.get(credential);
  return [...Object.values(headers), ...signed ?? [], ...secretsIn(credential)]
    .map((value) => value.replace(/^(Bearer|Basic)\s+/i, ""));
}

function secretsIn(credential: Credential | undefined): readonly string[] {
  switch (credential?.type) {
    case undefined:
      return [];
    case "client_credentials":
      return [credential.clientSecret];
    case "service_account":
      return [credential.privateKey];
    case "aws_keys":
      return [credential.secretAccessKey, credential.accessKeyId, credential.sessionToken ?? ""];
    default:
      return credential satisfies never;
  }
}

/** A terminal or a log that shows such characters obeys them. */
const controls = /\p{Cc}+/gu;

/** The provider that has said it, and the request whose guardrails read it. */
export interface MessageSource {
  readonly endpoint: Endpoint;
  readonly guards: RequestGuards | undefined;
}

/**
 * Trimmed, in one line without control characters, without the gateway's own key at this provider whatever its form,
 * without what looks like one, and as the content filters of the caller let it through: it may repeat the request.
 */
export function cleanProviderMessage(message: string, { endpoint, guards }: MessageSource): string {
  const read = message.slice(0, 16 * MESSAGE_CHARS).replace(controls, " ").trim();
  const clean = secretCutter(secretsOf(endpoint))(read);
  const guarded = guards?.latest?.readErrorText(clean) ?? clean;
  return truncateStart(redact(guarded), MESSAGE_CHARS);
}

const CODE_CHARS = 100;

/** A provider's failure with nothing in it that repeats a key: its code is the provider's text as well. */
export function redactFailure<F extends Pick<Failure, "message" | "code">>(
  failure: F,
  source: MessageSource,
): F {
  const { message, code } = failure;
  return {
    ...failure,
    message: cleanProviderMessage(message, source),
    code: code === undefined ? undefined : truncateStart(cleanProviderMessage(code, source), CODE_CHARS),
  };
}
