/** Texts and images of a request, as a service is asked about them. */

import { contentParts } from "../../../protocols/canonical/content_parts.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { readShaped } from "../../guardrails/scanners/scan_slots.ts";
import { requestPieces } from "../../guardrails/text_slots/request_shapes.ts";
import type { Work } from "../../../../shared/util/run_work.ts";
import type { ModerationInput } from "./wires/wire.ts";

/** UTF-16 units of one text that a service judges: longer ones are judged in parts. */
const PART = 8_000;
/** Units with which a part begins that the one before has as well: nothing is torn apart. */
const OVERLAP = 200;

interface ModerationInputs {
  readonly inputs: readonly ModerationInput[];
  /** Images, sounds, videos and files that no service is told of. */
  readonly unread: number;
}

/** All that the client has sent, once: what a message, a result or a definition has of texts is one text. */
export function* moderationInputs(
  request: ModelRequest,
  { withImages }: { readonly withImages: boolean },
): Work<ModerationInputs> {
  const texts = new Set<string>();
  let unread = 0;
  for (const { value, shape } of requestPieces(request)) {
    const { slots, media } = yield* readShaped(value, shape);
    unread += media;
    const own = slots.filter(({ around, text }) => around === undefined && !isEmptyData(text));
    for (const text of textParts(own.map(({ text }) => text).join("\n").toWellFormed())) {
      if (text.trim() !== "") texts.add(text);
    }
    yield;
  }
  const images = withImages ? imageUrls(request) : [];
  return {
    inputs: [
      ...[...texts].map((text) => ({ type: "text", text }) as const),
      ...new Set(images).values().map((url) => ({ type: "image", url }) as const),
    ],
    unread: unread - images.length,
  };
}

const imageUrls = ({ input }: ModelRequest): readonly string[] =>
  input.flatMap(contentParts).flatMap((part) => part.type === "image" ? part.url ?? [] : []);

/** The beginning of a data URL, whose data are read otherwise. */
const isEmptyData = (text: string): boolean => text.startsWith("data:") && text.endsWith(";base64,");

function* textParts(text: string): Generator<string> {
  for (let from = 0; from < text.length || from === 0;) {
    const to = wholeCharacters(text, from + PART);
    yield text.slice(from, to);
    if (to >= text.length) return;
    from = wholeCharacters(text, to - OVERLAP);
  }
}

/** The place, or the one before it where it would cut a character in two. */
function wholeCharacters(text: string, position: number): number {
  if (position >= text.length) return text.length;
  const unit = text.charCodeAt(position);
  return unit >= 0xdc00 && unit <= 0xdfff ? position - 1 : position;
}
