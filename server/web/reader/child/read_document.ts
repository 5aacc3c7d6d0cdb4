/** Reads one document of each type; either half of the packages takes its time to load. */

import { createClock } from "../../../runtime.ts";
import type { ReadReply, ReadRequest } from "../messages.ts";
import { readPlainText } from "../plain_text.ts";

export async function readDocument(request: ReadRequest, bytes: Uint8Array): Promise<ReadReply> {
  switch (request.type) {
    case "html": {
      const { readHtml } = await import("./read_html.ts");
      return { type: "document", ...await readHtml(bytes, request) };
    }
    case "text": {
      const { detectCharset } = await import("./detect_charset.ts");
      const { maxCharacters } = request;
      const read = readPlainText(bytes, { charset: "", isXml: false, maxCharacters, detect: detectCharset });
      return read ?? { type: "unreadable", reason: "broken" };
    }
    case "pdf": {
      const { readPdf } = await import("./read_pdf.ts");
      return await readPdf(bytes, { ...request, clock: createClock() });
    }
    case "office": {
      const { readOfficeDocument } = await import("./office/read_office.ts");
      return readOfficeDocument(bytes, request);
    }
    default:
      return request.type satisfies never;
  }
}
