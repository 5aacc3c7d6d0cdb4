/** First messages of TLS, made by hand. */

type Bytes = readonly number[];

const number = (value: number, size: number): Bytes =>
  Array.from({ length: size }, (_unused, index) => Math.floor(value / 256 ** (size - 1 - index)) % 256);

/** Bytes with their number in front of them. */
export const sized = (size: number, bytes: Bytes): Bytes => [...number(bytes.length, size), ...bytes];

export const bytesOf = (text: string): Bytes => [...new TextEncoder().encode(text)];

export const extension = (type: number, content: Bytes): Bytes => [...number(type, 2), ...sized(2, content)];

export const serverName = (...names: readonly string[]): Bytes =>
  extension(0, sized(2, names.flatMap((name) => [0, ...sized(2, bytesOf(name))])));

export function helloMessage(extensions: Bytes): Bytes {
  const versionAndRandom = Array.from({ length: 34 }, () => 3);
  const [session, ciphers, compression] = [sized(1, [9]), sized(2, [19, 1]), sized(1, [0])];
  const body = [...versionAndRandom, ...session, ...ciphers, ...compression, ...sized(2, extensions)];
  return [1, ...sized(3, body)];
}

export const record = (bytes: Bytes): Bytes => [22, 3, 1, ...sized(2, bytes)];

export const clientHello = (...extensions: readonly Bytes[]): Bytes =>
  record(helloMessage(extensions.flat()));
