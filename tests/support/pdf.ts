/** PDFs for tests: pages of text, damaged or encrypted where a test wants them to be. */

export interface PdfOptions {
  /** A line of ASCII, or what a page does: fonts `F1`, graphics states `G` (nothing shines) and pictures `I`. */
  readonly pages: readonly (string | { readonly content: string })[];
  readonly hasPicture?: boolean;
  readonly title?: string;
  /** Asks for a password that nobody knows. */
  readonly encrypted?: boolean;
}

const escaped = (text: string) => text.replaceAll(/[\\()]/g, "\\$&");

const lineOf = (text: string) => `BT /F1 12 Tf 72 720 Td (${escaped(text)}) Tj ET`;

const PICTURE =
  "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 " +
  "/Length 1 >>\nstream\n0\nendstream";

export function pdfOf(
  { pages, title = "", encrypted = false, hasPicture = false }: PdfOptions,
): Uint8Array<ArrayBuffer> {
  const first = 5;
  const picture = hasPicture ? `/XObject << /I ${first + 2 * pages.length} 0 R >>` : "";
  const kids = pages.map((_, at) => `${first + 2 * at} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< /Title (${escaped(title)}) >>`,
    ...pages.flatMap((page, at) => {
      const content = typeof page === "string" ? lineOf(page) : page.content;
      const resources =
        `/Resources << /Font << /F1 3 0 R >> /ExtGState << /G << /ca 0.01 >> >> ${picture} >>`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${
          first + 2 * at + 1
        } 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    ...hasPicture ? [PICTURE] : [],
  ];
  const some = "00112233445566778899aabbccddeeff".repeat(2);
  const password = encrypted
    ? `/ID [<${some}> <${some}>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${some}> /U <${some}> /P -44 >>`
    : "";
  return assembled(objects, `<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R ${password} >>`);
}

function assembled(objects: readonly string[], trailer: string): Uint8Array<ArrayBuffer> {
  const parts = ["%PDF-1.4\n"];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [at, object] of objects.entries()) {
    const part = `${at + 1} 0 obj\n${object}\nendobj\n`;
    offsets.push(length);
    parts.push(part);
    length += part.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  parts.push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join("")}`);
  parts.push(`trailer\n${trailer}\nstartxref\n${length}\n%%EOF\n`);
  return new TextEncoder().encode(parts.join(""));
}
