/** Files through the standard streams: `files upload` reads one, commands that download write one. */

import { CommandError } from "./command_error.ts";

export interface Flag {
  readonly name: string;
  readonly takes: string;
  readonly needed: boolean;
}

/** Standard input and output of the command, as far as files go through them. */
export interface FileStreams {
  readonly inputIsTerminal: boolean;
  readonly outputIsTerminal: boolean;
  readonly readAll: () => Promise<Uint8Array<ArrayBuffer>>;
  readonly write: (bytes: ReadableStream<Uint8Array>) => Promise<void>;
}

/** Fields of the form beside the file; the shell has opened it, so nobody knows its name. */
export const uploadFlags: readonly Flag[] = [
  { name: "filename", takes: "text", needed: true },
  { name: "purpose", takes: "text", needed: false },
];

const names: ReadonlySet<string> = new Set(uploadFlags.map(({ name }) => name));

export const isUploadFlag = (name: string): boolean => names.has(name);

/** The form with what the standard input has. Throws a CommandError. */
export async function uploadForm(
  fields: ReadonlyMap<string, string>,
  streams: Pick<FileStreams, "inputIsTerminal" | "readAll">,
): Promise<FormData> {
  const filename = fields.get("filename");
  if (filename === undefined) {
    throw new CommandError("files upload needs --filename: the name that the file gets");
  }
  if (streams.inputIsTerminal) {
    throw new CommandError(
      "files upload reads the file from the standard input: put < FILE behind the command",
    );
  }
  const form = new FormData();
  const purpose = fields.get("purpose");
  if (purpose !== undefined) form.append("purpose", purpose);
  form.append("file", new Blob([await streams.readAll()]), filename);
  return form;
}

/** Bytes have no place on a terminal. Throws a CommandError. */
export function requireDownloadTarget(
  name: string,
  { outputIsTerminal }: Pick<FileStreams, "outputIsTerminal">,
): void {
  if (!outputIsTerminal) return;
  throw new CommandError(`${name} writes the file to the standard output: put > FILE behind the command`);
}
