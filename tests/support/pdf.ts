/** PDFs for tests: pages of text, damaged or encrypted where a test wants them to be. */

export interface PdfOptions {
  readonly pages: readonly string[];
  readonly title?: string;
  /** Asks for a password that nobody knows. */
  readonly encrypted?: boolean;
}

const escaped = (text: string) => text.replaceAll(/[\\()]/g, "\\$&");

/** One line of text on each page; ASCII. */
export function pdfOf({ pages, title = "", encrypted = false }: PdfOptions): Uint8Array<ArrayBuffer> {
  const first = 5;
  const kids = pages.map((_, at) => `${first + 2 * at} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< /Title (${escaped(title)}) >>`,
    ...pages.flatMap((text, at) => {
      const content = `BT /F1 12 Tf 72 720 Td (${escaped(text)}) Tj ET`;
      const resources = "/Resources << /Font << /F1 3 0 R >> >>";
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${
          first + 2 * at + 1
        } 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
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
