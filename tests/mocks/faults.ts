/** Faults that a request asks for by its model's name: `mock-429`, `mock-cut`, `mock-slow-250` … */

export type Fault =
  | { readonly kind: "none" }
  /** An error answer with this status. */
  | { readonly kind: "status"; readonly status: number }
  /** The answer begins after this many milliseconds. */
  | { readonly kind: "slow"; readonly ms: number }
  /** So many milliseconds between two frames. */
  | { readonly kind: "drip"; readonly ms: number }
  /** `hang` never answers, `stall` stops in the middle without ending, `cut` breaks the connection there. */
  | { readonly kind: "hang" | "stall" | "cut" }
  /** `end` stops in the middle as if that were all; `malformed` sends a frame there that is no JSON. */
  | { readonly kind: "end" | "malformed" }
  /** An error inside a stream that began with 200: before anything of the answer, or in its middle. */
  | { readonly kind: "error-before" | "error-after" }
  /** 200 with a page, and with nothing at all. */
  | { readonly kind: "html" | "empty" }
  /** More after the last event; the counts missing, negative, absurd. */
  | { readonly kind: "late" | "no-usage" | "wrong-usage" };

const plain = [
  "hang",
  "stall",
  "cut",
  "end",
  "malformed",
  "error-before",
  "error-after",
  "html",
  "empty",
  "late",
  "no-usage",
  "wrong-usage",
] as const;

/** The fault in a model's name; names without one get a plain answer. */
export function faultIn(model: unknown): Fault {
  const [, word = "", value] = /mock-([a-z-]+?|\d{3})(?:-(\d+))?$/.exec(String(model)) ?? [];
  if (/^\d{3}$/.test(word)) return { kind: "status", status: Number(word) };
  if (word === "slow" || word === "drip") return { kind: word, ms: Number(value ?? 100) };
  const kind = plain.find((one) => one === word);
  return kind === undefined ? { kind: "none" } : { kind };
}

const errors: Readonly<Record<number, readonly [string, string, string]>> = {
  400: ["invalid_request_error", "invalid_value", "Invalid value for 'input'."],
  401: ["invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-proj-****1234."],
  402: ["billing_error", "billing_hard_limit_reached", "Billing hard limit has been reached."],
  403: ["permission_error", "unsupported_country_region_territory", "Country not supported."],
  404: [
    "invalid_request_error",
    "model_not_found",
    "The model does not exist or you do not have access to it.",
  ],
  413: ["invalid_request_error", "request_too_large", "Request is too large."],
  429: ["requests", "rate_limit_exceeded", "Rate limit reached for requests per min."],
  503: ["service_unavailable_error", "slow_down", "The engine is currently overloaded."],
  529: ["overloaded_error", "overloaded", "Overloaded."],
};

/** An error answer as the provider writes it. */
export function errorAnswer(status: number): Response {
  const [type, code, message] = errors[status] ??
    ["server_error", "server_error", "The server had an error."];
  const headers: Record<string, string> = { "x-request-id": "req_mock" };
  if (status === 429 || status === 503) headers["retry-after"] = "1";
  return Response.json({ error: { message, type, param: null, code } }, { status, headers });
}
