/** Files that the client was told of in earlier answers: their texts need not be read again. */

import type { ChatMessageInput } from "../../../../shared/chat/messages.ts";
import { type FileAnnotation, fileAnnotation } from "../../../../shared/chat/file_annotation.ts";

/** Annotations of other kinds, and of a form that was never sent, say nothing. */
export function parseKnownFiles(
  messages: readonly ChatMessageInput[],
): readonly FileAnnotation[] | undefined {
  let found: FileAnnotation[] | undefined;
  for (const message of messages) {
    if (message.role !== "assistant" || !Array.isArray(message.annotations)) continue;
    for (const annotation of message.annotations) {
      const { data } = fileAnnotation.safeParse(annotation);
      if (data === undefined) continue;
      found ??= [];
      found.push(data);
    }
  }
  return found;
}
