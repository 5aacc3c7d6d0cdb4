/** Texts of files: read as they are, and edited in one place, with every other byte left as it was. */

const BOM = "\uFEFF";

/** Undefined for bytes that are no text in UTF-8. */
export function readText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder says no more than that it is none.
    return undefined;
  }
}

/** The text that a model reads: a mark of the byte order is none of it. */
export const withoutMark = (text: string): string => text.startsWith(BOM) ? text.slice(1) : text;

interface Edit {
  readonly from: string;
  readonly to: string;
}

/** The edited text, or in words for the model why there is none. */
type EditedText = { readonly text: string } | { readonly fault: string };

/** Replaces what stands in one place exactly. Where a file breaks its lines as Windows does, so does what is put in. */
export function editText(text: string, edit: Edit): EditedText {
  if (edit.from === edit.to) return { fault: "new_string is the same as old_string." };
  const written = findEdit(text, edit) ??
    findEdit(text, { from: asWindows(edit.from), to: asWindows(edit.to) });
  if (written === undefined) return { fault: "old_string is not in the file." };
  const { from, to, place } = written;
  if (text.includes(from, place + 1)) {
    return { fault: "old_string is in the file more than once: take more of the lines around the place." };
  }
  return { text: text.slice(0, place) + to + text.slice(place + from.length) };
}

function findEdit(text: string, edit: Edit): Edit & { readonly place: number } | undefined {
  const place = text.indexOf(edit.from);
  return place < 0 ? undefined : { ...edit, place };
}

const asWindows = (text: string): string => text.replaceAll(/\r?\n/g, "\r\n");
