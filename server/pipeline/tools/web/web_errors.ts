/** Why a search or a page came to nothing, in the codes that Anthropic's tools have for it. */

import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { FetchErrorKind } from "../../../web/fetch/fetch_error.ts";
import type { ReadFailure } from "../../../web/reader/reader.ts";
import type { ToolOutcome } from "../tool_definition.ts";

type WebErrorCode =
  | "invalid_input"
  | "url_not_allowed"
  | "url_not_accessible"
  | "unsupported_content_type"
  | "max_uses_exceeded"
  | "unavailable";

/** The reason is for the model, the code for clients of the Messages API too. */
export interface WebFailure {
  readonly reason: string;
  readonly code: WebErrorCode;
}

export const failedWebCall = ({ reason, code }: WebFailure, fields: JsonObject = {}): ToolOutcome => ({
  output: JSON.stringify({ error: reason, error_code: code }),
  fields,
  failed: true,
});

export const fetchErrorCodes: Readonly<Record<FetchErrorKind, WebErrorCode>> = {
  invalid_url: "invalid_input",
  forbidden_host: "url_not_allowed",
  dns: "url_not_accessible",
  connection: "url_not_accessible",
  tls: "url_not_accessible",
  proxy: "url_not_accessible",
  timeout: "url_not_accessible",
  too_large: "url_not_accessible",
  too_many_redirects: "url_not_accessible",
  bad_response: "url_not_accessible",
};

export const readErrorCodes: Readonly<Record<ReadFailure, WebErrorCode>> = {
  unsupported_type: "unsupported_content_type",
  broken: "unsupported_content_type",
  encrypted: "unsupported_content_type",
  unpacks_too_large: "url_not_accessible",
  old_office: "unsupported_content_type",
  rich_text: "unsupported_content_type",
  time_limit: "url_not_accessible",
  memory_limit: "url_not_accessible",
  too_large: "url_not_accessible",
  overdue: "unavailable",
  busy: "unavailable",
  unavailable: "unavailable",
};
