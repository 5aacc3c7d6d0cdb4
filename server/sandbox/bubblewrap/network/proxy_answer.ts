/** Answers of the proxy of a container, each the only one of its connection. */

const encoder = new TextEncoder();

/** Clients show the line with the status more often than the body. */
const MAX_REASON_CHARS = 200;

export const TUNNEL_MADE = encoder.encode("HTTP/1.1 200 Connection established\r\n\r\n");

interface PageAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly isHead: boolean;
}

export function pageAnswer({ status, contentType, body, isHead }: PageAnswer): Uint8Array {
  const type = contentType === "" ? "" : `content-type: ${visible(contentType)}\r\n`;
  const head = `HTTP/1.1 ${status} \r\n${type}content-length: ${body.length}\r\nconnection: close\r\n\r\n`;
  return isHead ? encoder.encode(head) : Buffer.concat([encoder.encode(head), body]);
}

/** `message`: one sentence for the model. */
export function refusalAnswer(status: number, message: string): Uint8Array {
  const body = encoder.encode(`${message}\n`);
  const reason = visible(message).slice(0, MAX_REASON_CHARS);
  return Buffer.concat([
    encoder.encode(
      `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
        `content-length: ${body.length}\r\nconnection: close\r\n\r\n`,
    ),
    body,
  ]);
}

/** Replaces what a head may not hold. */
const visible = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "?");
