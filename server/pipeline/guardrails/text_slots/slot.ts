/** A text of a request, a response or a tool's result, and where it stands. */

import type { DocumentText } from "./document_text.ts";
import type { JsonText } from "./json_text.ts";
import type { SealedText } from "./sealed_text.ts";

/** A text that has others in it: JSON, a document, reasoning that goes back and forth encoded. */
export type SlotContainer = JsonText | DocumentText | SealedText;

/** The name of a field itself, rather than its value. */
interface NameStep {
  readonly name: string;
}

/** A field, a place in a list, the name of a field, or the way into a container, whose texts are numbered. */
export type PathStep = string | number | NameStep | SlotContainer;

/** From the slot outwards; values in the same object share the rest of their paths. */
export interface SlotPath {
  readonly parent: SlotPath | undefined;
  readonly step: PathStep;
}

/** `identifier`: the name of a function, tool or format, in which only letters, digits, `_` and `-` may stand. */
type SlotForm = "text" | "identifier" | "name";

export interface TextSlot {
  readonly path: SlotPath | undefined;
  readonly text: string;
  readonly form: SlotForm;
  /** The name of the field whose value it is, where the caller or a tool has chosen that name. */
  readonly field?: string;
  /** The text in which it stands as it is, and which is read as well: new is what is found in it alone. */
  readonly around?: { readonly text: string; readonly offset: number };
  /** Clients and models may read it and the slot before it as one text. */
  readonly isJoined?: true;
}

/** The path in words, as in `input.0.parts.1.text`. */
export function describePath(path: SlotPath | undefined): string {
  const steps: string[] = [];
  for (let at = path; at !== undefined; at = at.parent) {
    const { step } = at;
    if (typeof step === "string" || typeof step === "number") steps.push(String(step));
    else if (!("write" in step)) steps.push(`${step.name} (name)`);
  }
  return steps.reverse().join(".");
}
