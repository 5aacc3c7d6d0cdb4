/** Commands that write frames to the gateway's pipe, as a process that was taken over can. */

/** A command of a shell that runs JavaScript in the process. */
export const python = (javascript: string): string =>
  `python3 -c 'import js; js.eval(${JSON.stringify(javascript).replaceAll("'", "'\\''")})'`;

/** JavaScript of the JSON of a value. */
const textOf = (value: unknown): string => JSON.stringify(JSON.stringify(value));

/** A frame: its header, and what its pack has. */
interface ForgedFrame {
  readonly header: object;
  /** JavaScript of the header's text, given its JSON; the JSON when absent. */
  readonly headerText?: (json: string) => string;
  readonly value?: unknown;
  /** JavaScript of the bytes behind it; none when absent. */
  readonly bytes?: string;
}

/** JavaScript that writes one frame. */
export const frame = (
  { header, headerText = (json) => json, value = {}, bytes = "new Uint8Array(0)" }: ForgedFrame,
): string =>
  `{ const text = (part) => new TextEncoder().encode(part); const [h, p, b] = [text(${
    headerText(textOf(header))
  }), text(${textOf(value)}), ${bytes}];` +
  "const o = new Uint8Array(12 + h.length + p.length + b.length); const v = new DataView(o.buffer);" +
  "v.setUint32(0, h.length); v.setUint32(4, 4 + p.length + b.length); o.set(h, 8); v.setUint32(8 + h.length, p.length);" +
  "o.set(p, 12 + h.length); o.set(b, 12 + h.length + p.length);" +
  "for (let at = 0; at < o.length;) at += Deno.stdout.writeSync(o.subarray(at)); }";
