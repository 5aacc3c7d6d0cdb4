/** Errors as a provider on the Responses wire reports them. */

/** A request that the simulated provider turns down. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly status: number;
  readonly body: WireErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: WireErrorBody, headers: Readonly<Record<string, string>> = {}) {
    super(body.message);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

interface WireErrorBody {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param?: string | null;
}

/** A request that is wrong at `param`. */
export function invalidRequest(
  message: string,
  code: string,
  { param }: { readonly param: string },
): WireError {
  return new WireError(400, { message, type: "invalid_request_error", code, param });
}

export function errorResponse(error: WireError): Response {
  const body = JSON.stringify({ error: { param: null, ...error.body } });
  return new Response(body, {
    status: error.status,
    headers: { "content-type": "application/json", ...error.headers },
  });
}

/** The value of a request's JSON body. Throws a WireError 400 for what is not JSON. */
export function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `We could not parse the JSON body of your request (${String(cause).slice(0, 100)}).`;
    throw new WireError(400, { message, type: "invalid_request_error", code: null });
  }
}
