/**
 * Reads a PDF of three pages on a machine that is slow: each look at the clock is a minute after the one before.
 * It runs with the configuration of the reader's child, which has the packages.
 */

import type { Clock } from "../../server/runtime.ts";
import type { ReadReply, ReadRequest } from "../../server/web/reader/messages.ts";
import { pdfOf } from "../support/pdf.ts";

type SlowClock = Pick<Clock, "monotonic">;
type ReadPdf = (
  bytes: Uint8Array,
  request: ReadRequest & { readonly clock: SlowClock },
) => Promise<ReadReply>;
const toReadPdf = (module: { readonly readPdf: unknown }) => module.readPdf as ReadPdf;

// Not a literal: the packages of the child are not those of the tests.
const path = new URL("../../server/web/reader/child/read_pdf.ts", import.meta.url).href;
const readPdf = toReadPdf(await import(path));

let now = 0;
const clock = { monotonic: () => now += 60_000 };
const pages = ["first page", "second page", "third page"];
const request = { type: "pdf", url: "", charset: "", maxCharacters: 1_000, maxPages: 10, clock } as const;
console.log(JSON.stringify(await readPdf(pdfOf({ pages }), request)));
