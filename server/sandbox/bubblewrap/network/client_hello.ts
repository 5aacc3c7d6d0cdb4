/** The first message of TLS, as far as it tells which server is meant (RFC 8446, section 4.1.2; RFC 6066, section 3). */

type Bytes = Uint8Array;

/** Longer ones are taken for nonsense. */
export const MAX_HELLO_BYTES = 16 * 1024;
/** Clients take one, or two where it is long. */
const MAX_RECORDS = 4;

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const RECORD_HEAD = 5;
const MESSAGE_HEAD = 4;
const RANDOM_AND_VERSION = 34;
const SERVER_NAME = 0;
/** Hides the name of another server than the one that is seen. */
const ENCRYPTED_HELLO = 0xfe0d;

export class HelloError extends Error {
  override readonly name = "HelloError";
}

interface ClientHello {
  /** Undefined where the client names none. */
  readonly serverName: string | undefined;
}

/** Undefined while its end is not there. Throws a HelloError for what is none, and for one that hides its server. */
export function readClientHello(bytes: Bytes): ClientHello | undefined {
  const message = messageOf(bytes);
  if (message === undefined) {
    if (bytes.length > MAX_HELLO_BYTES) throw new HelloError("its first message has no end");
    return undefined;
  }
  const reader = new Reader(message);
  reader.take(RANDOM_AND_VERSION);
  reader.take(reader.number(1));
  reader.take(reader.number(2));
  reader.take(reader.number(1));
  const extensions = new Reader(reader.isAtEnd ? new Uint8Array(0) : reader.take(reader.number(2)));
  const names: string[] = [];
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const content = extensions.take(extensions.number(2));
    if (type === ENCRYPTED_HELLO) throw new HelloError("it hides the name of its server");
    if (type === SERVER_NAME) names.push(...namesOf(new Reader(content)));
  }
  if (names.length > 1) throw new HelloError("it names two servers");
  return { serverName: names[0]?.toLowerCase() };
}

/** The message in one or more records, without its head; undefined while its end is not there. */
function messageOf(bytes: Bytes): Bytes | undefined {
  const parts: Bytes[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== HANDSHAKE_RECORD || (bytes[at + 1] ?? 3) !== 3) throw new HelloError("it is no TLS");
    if (bytes.length < at + RECORD_HEAD) return undefined;
    const start = at + RECORD_HEAD;
    at = start + new Reader(bytes.subarray(at + 3)).number(2);
    parts.push(bytes.subarray(start, at));
    if (parts.length > MAX_RECORDS) throw new HelloError("its first message is in too many pieces");
    const message = wholeMessage(Buffer.concat(parts));
    if (message !== undefined) return message;
  }
  return undefined;
}

function wholeMessage(bytes: Bytes): Bytes | undefined {
  if (bytes.length > 0 && bytes[0] !== CLIENT_HELLO) throw new HelloError("it is no TLS");
  if (bytes.length < MESSAGE_HEAD) return undefined;
  const length = new Reader(bytes.subarray(1)).number(3);
  return bytes.length < MESSAGE_HEAD + length
    ? undefined
    : bytes.subarray(MESSAGE_HEAD, MESSAGE_HEAD + length);
}

function* namesOf(content: Reader): Generator<string> {
  const list = new Reader(content.take(content.number(2)));
  while (!list.isAtEnd) {
    list.take(1);
    yield String.fromCharCode(...list.take(list.number(2)));
  }
}

/** Numbers have their high byte first. */
class Reader {
  readonly #bytes: Bytes;
  #at = 0;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  take(size: number): Bytes {
    if (this.#at + size > this.#bytes.length) throw new HelloError("its first message breaks off");
    return this.#bytes.subarray(this.#at, this.#at += size);
  }

  number(size: number): number {
    return this.take(size).reduce((sum, byte) => sum * 256 + byte, 0);
  }
}
