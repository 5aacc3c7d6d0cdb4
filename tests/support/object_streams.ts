/** Object streams of PDFs, in which most writers of today put pages. A character stands for a byte. */

async function deflated(text: string): Promise<string> {
  const stream = new CompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const writing = writer.write(Uint8Array.from(text, (char) => char.charCodeAt(0))).then(() =>
    writer.close()
  );
  const bytes = new Uint8Array(await new Response(stream.readable).arrayBuffer());
  await writing;
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

export const PDF_PAGE = "<</Type /Page /Parent 2 0 R>>";

export interface StreamOptions {
  /** Number of the first object. */
  readonly from?: number;
  readonly length?: string;
  readonly filter?: string;
  readonly objects?: readonly string[];
}

/** An object stream of so many pages. */
export async function objectStream(pages: number, options: StreamOptions = {}): Promise<string> {
  const {
    from = 100,
    length,
    filter = "/FlateDecode",
    objects = Array.from({ length: pages }, () => PDF_PAGE),
  } = options;
  let at = 0;
  const places = objects.map((body, index) => {
    const place = `${from + index} ${at}`;
    at += body.length + 1;
    return place;
  });
  const head = `${places.join(" ")} `;
  const data = await deflated(head + objects.join(" "));
  const dictionary = `<</Type /ObjStm /N ${objects.length} /First ${head.length} /Filter ${filter} /Length ${
    length ?? data.length
  }>>`;
  return `${from - 1} 0 obj\n${dictionary}\nstream\r\n${data}\nendstream endobj\n`;
}
