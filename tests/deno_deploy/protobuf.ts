/** Protocol buffers as far as KV Connect needs them: fields by their number, of whole numbers and of bytes. */

type Field = number | Uint8Array;

/** A message that was read: what stands under each number, in its order. */
export class Message {
  readonly #fields = new Map<number, Field[]>();

  constructor(bytes: Uint8Array) {
    const reader = new Reader(bytes);
    while (!reader.isAtEnd) {
      const tag = reader.varint();
      const number = tag >>> 3;
      this.#fields.set(number, [...this.#fields.get(number) ?? [], reader.field(tag & 7)]);
    }
  }

  bytes(number: number): Uint8Array {
    const found = this.#fields.get(number)?.at(-1);
    return found instanceof Uint8Array ? found : new Uint8Array();
  }

  number(number: number): number {
    const found = this.#fields.get(number)?.at(-1);
    return typeof found === "number" ? found : 0;
  }

  messages(number: number): readonly Message[] {
    const found = this.#fields.get(number) ?? [];
    return found.filter((field) => field instanceof Uint8Array).map((bytes) => new Message(bytes));
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1;; scale *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error("A number of the message has no end");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  field(type: number): Field {
    if (type === 0) return this.varint();
    if (type !== 2) throw new Error(`Fields of type ${type} are not known`);
    const length = this.varint();
    const field = this.#bytes.subarray(this.#at, this.#at + length);
    if (field.length < length) throw new Error("A field of the message has no end");
    this.#at += length;
    return field;
  }
}

/** Fields of a message to be written, in their order. A number of 0 and no bytes are left out, as the form asks. */
export function writeMessage(fields: readonly (readonly [number, Field])[]): Uint8Array<ArrayBuffer> {
  return concat(fields.flatMap(([number, field]) => {
    if (typeof field === "number") return field === 0 ? [] : [varint(number << 3), varint(field)];
    return [varint(number << 3 | 2), varint(field.length), field];
  }));
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push(rest % 128 + 128);
  return Uint8Array.of(...bytes, rest);
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
