/** Reads one HTTP/1.1 request out of bytes. */

export interface FaultdRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body; undefined when there is none, or it is none. */
  readonly body: unknown;
}

/** Undefined as long as it is not whole. `text` is the bytes as latin1, a character a byte. */
export function parseRequest(text: string): FaultdRequest | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [line = "", ...fields] = text.slice(0, end).split("\r\n");
  const [method = "", path = ""] = line.split(" ");
  const headers = Object.fromEntries(fields.map((field) => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  }));
  const body = headers["transfer-encoding"] === "chunked"
    ? chunked(text.slice(end + 4))
    : sized(text.slice(end + 4), Number(headers["content-length"] ?? 0));
  return body === undefined ? undefined : { method, path, headers, body: toJson(body) };
}

function sized(text: string, length: number): string | undefined {
  return text.length < length ? undefined : text.slice(0, length);
}

function chunked(text: string): string | undefined {
  let body = "";
  let at = 0;
  for (;;) {
    const end = text.indexOf("\r\n", at);
    const size = parseInt(text.slice(at, end), 16);
    if (end < 0 || text.length < end + 2 + size + 2) return undefined;
    if (!(size > 0)) return body;
    body += text.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
}

function toJson(latin: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(latin, (char) => char.charCodeAt(0))));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
