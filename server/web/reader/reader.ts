/**
 * Turns pages and documents into text, outside of the gateway's process (SECURITY.md, The keeper). Where the platform
 * starts no programs, pages are read within it, by a reader that has no parts but its own.
 */

import { tryParseJson } from "../../../shared/util/json.ts";
import { Semaphore } from "../../../shared/util/semaphore.ts";
import { encodeFrame } from "../../sandbox/keeper/frames.ts";
import {
  type Keeper,
  KeeperUnavailable,
  type ProgramInput,
  type ProgramRun,
} from "../../sandbox/keeper/keeper.ts";
import type { RunOutcome } from "../../sandbox/keeper/messages.ts";
import type { Clock, Logger } from "../../runtime.ts";
import { documentTypeOf } from "./document_type.ts";
import { DEFAULT_CHARSET, type PageInput } from "./page/read_page.ts";
import { type ReadDocument, readReplySchema, type ReadRequest, type TextLack } from "./messages.ts";
import { readPlainText } from "./plain_text.ts";
import { ReadDeadlines, ReadOverdue } from "./read_deadlines.ts";

export interface ReadInput {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The header as it came; empty where there is none. */
  readonly contentType: string;
  /** Where it is from, for the links of a page; empty where that is unknown. */
  readonly url: string;
  /** Most characters of the text, at most {@link MAX_CHARACTERS}. */
  readonly maxCharacters: number;
  /** Most pages of a PDF, slides or sheets that are read. */
  readonly maxPages?: number;
  readonly signal: AbortSignal;
}

/** Why a document has no text. */
export type ReadFailure =
  | "unsupported_type"
  | "broken"
  | "encrypted"
  | "unpacks_too_large"
  | "old_office"
  | "rich_text"
  | "time_limit"
  | "memory_limit"
  | "too_large"
  | "overdue"
  | "busy"
  | "unavailable";

/** No fault of the document: another try may read it. */
const passing: ReadonlySet<ReadFailure> = new Set(["overdue", "busy", "unavailable"]);

/** The message is one sentence for a model or its user. */
export type ReadResult =
  | ({ readonly type: "document" } & ReadDocument)
  | FailedRead;

interface FailedRead {
  readonly type: "failed";
  readonly reason: ReadFailure;
  readonly message: string;
  /** Another try may read it. */
  readonly isPassing: boolean;
}

/** Rejects with the signal's reason only: whatever else goes wrong is a result. */
export type Reader = (input: ReadInput) => Promise<ReadResult>;

export const MAX_CHARACTERS = 1_000_000;
const ALL_PAGES = 1_000_000;

interface ReaderDeps {
  readonly keeper: Keeper;
  readonly log: Logger;
  readonly clock: Pick<Clock, "after">;
  /** Documents that are read at the same time. */
  readonly concurrency: number;
  /**
   * Reads pages in this process, where no program can be started for them. Undefined: the page takes too long. Rejects
   * with the signal's reason.
   */
  readonly readPage?: (input: PageInput, signal: AbortSignal) => Promise<ReadDocument | undefined>;
}

/** Documents that wait for their turn, and milliseconds for which they do: behind that too little time is left. */
const MAX_WAITING = 20;
const MAX_WAIT_MS = 8_000;

const messages: Readonly<Record<ReadFailure, string>> = {
  unsupported_type: "Documents of this type cannot be read.",
  broken: "The document is damaged or not what its type says.",
  encrypted: "The document is encrypted with a password.",
  unpacks_too_large: "The document is too large when it is unpacked.",
  old_office:
    "The document has the format of Office 97 to 2003. Save it as .docx, .xlsx or .pptx, or as PDF.",
  rich_text:
    "The document has the Rich Text Format, which cannot be read. Save it as .docx or .odt, or as PDF.",
  time_limit: "The document could not be read within 10 s of the processor.",
  memory_limit: "The document needs too much memory to be read.",
  too_large: "The document's text is too large.",
  overdue: "The document could not be read within 11 s beside others. Try again in a moment.",
  busy: "Too many documents are being read. Try again in a moment.",
  unavailable: "Documents cannot be read at the moment.",
};

const lacks: Readonly<Record<TextLack, string>> = {
  empty: "it is empty",
  scripts: "it is made by scripts, which are not run here",
  pictures: "it consists of pictures",
  hidden: "all that it has is hidden from its readers",
};

/** A sentence for a model or its user. */
export const describeLack = (lack: TextLack): string => `The page has no readable text: ${lacks[lack]}.`;

const leftOutParts: Readonly<Record<NonNullable<ReadDocument["leftOut"]>["what"], string>> = {
  navigation: "The navigation of the page was left out",
  beside_main: "What stands beside the main part of the page was left out",
};

/** A sentence for a model or its user. */
export const describeLeftOut = ({ what, percent }: NonNullable<ReadDocument["leftOut"]>): string =>
  `${leftOutParts[what]}: ${percent} % of the visible text.`;

const failed = (reason: ReadFailure, message = messages[reason]): ReadResult => ({
  type: "failed",
  reason,
  message,
  isPassing: passing.has(reason),
});

export function createReader(deps: ReaderDeps): Reader {
  const { clock, concurrency, readPage } = deps;
  const slots = new Semaphore({
    most: concurrency,
    maxWaiting: MAX_WAITING,
    maxWait: { clock, ms: MAX_WAIT_MS },
  });
  const deadlines = new ReadDeadlines(clock);
  // Telling an encoding by its bytes takes a program.
  const detect = readPage && (() => DEFAULT_CHARSET);
  return async (input) => {
    input.signal.throwIfAborted();
    const found = documentTypeOf(input.contentType, input.body);
    const maxCharacters = Math.min(input.maxCharacters, MAX_CHARACTERS);
    if (found === undefined) return failed("unsupported_type");
    if (found.type === "rich_text") return failed("rich_text");
    const plain = found.type === "text"
      ? readPlainText(input.body, { ...found, maxCharacters, detect })
      : undefined;
    if (plain !== undefined) return plain;
    const request: ReadRequest = {
      type: found.type,
      url: input.url,
      charset: found.type === "html" ? found.charset : "",
      maxCharacters,
      maxPages: input.maxPages ?? ALL_PAGES,
    };
    return await deadlines.within(input.signal, async (signal) => {
      if (!await slots.take(signal)) return failed("busy");
      try {
        const isXml = found.type === "html" && found.isXml;
        return await readOne({ request, isXml, body: input.body, signal }, deps);
      } finally {
        slots.release();
      }
    });
  };
}

interface OneDocument extends Pick<ReadInput, "body" | "signal"> {
  readonly request: ReadRequest;
  readonly isXml: boolean;
}

async function readOne({ request, isXml, body, signal }: OneDocument, deps: ReaderDeps): Promise<ReadResult> {
  const { readPage } = deps;
  try {
    if (request.type === "html" && readPage) {
      return toPage(await readPage({ ...request, isXml, body }, signal));
    }
    return await readInProgram({ input: encodeFrame(request, body), signal }, deps);
  } catch (error) {
    if (error instanceof ReadOverdue) return failed("overdue");
    throw error;
  }
}

async function readInProgram(
  program: ProgramInput,
  { keeper, log }: Pick<ReaderDeps, "keeper" | "log">,
): Promise<ReadResult> {
  try {
    return toResult(await keeper.run("reader", program), log);
  } catch (error) {
    if (error instanceof KeeperUnavailable) return failed("unavailable", error.message);
    throw error;
  }
}

const toPage = (read: ReadDocument | undefined): ReadResult =>
  read === undefined ? failed("time_limit") : { type: "document", ...read };

const failures: { readonly [O in RunOutcome]?: ReadFailure } = {
  failed: "broken",
  time_limit: "time_limit",
  memory_limit: "memory_limit",
  output_limit: "too_large",
};

const NOT_INSTALLED = "The packages that read documents could not be fetched: run `deno task setup`.";

function toResult({ outcome, detail, output }: ProgramRun, log: Logger): ReadResult {
  if (outcome === "not_installed") return failed("unavailable", NOT_INSTALLED);
  if (outcome !== "done") {
    const reason = failures[outcome] ?? "unavailable";
    // A document may break its reader: only what the operator can mend is worth a warning.
    const write = reason === "unavailable" ? log.warn : log.debug;
    write("Document not read", { reason: outcome, error: detail });
    return failed(reason);
  }
  const reply = readReplySchema.safeParse(tryParseJson(new TextDecoder().decode(output)));
  // A hostile document may have taken its reader over.
  if (!reply.success) return failed("broken");
  return reply.data.type === "unreadable" ? failed(reply.data.reason) : reply.data;
}
