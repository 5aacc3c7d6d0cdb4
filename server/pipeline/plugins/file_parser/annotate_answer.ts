/** Tells a chat of the files that were parsed for its answer, behind the first words of it. */

import type { FileAnnotation } from "../../../../shared/chat/file_annotation.ts";
import type { AnnotationEvent, OutputEvent } from "../../../protocols/canonical/event.ts";
import { runMachine, type Source } from "../../../protocols/stream/source.ts";
import type { StateMachine } from "../../../protocols/stream/state_machine.ts";

type Waiting = readonly FileAnnotation[];

/** An annotation belongs to a text. */
export const annotateAnswer = (source: Source<OutputEvent>, files: Waiting): Source<OutputEvent> =>
  files.length === 0 ? source : runMachine(annotator(files), source);

const annotator = (files: Waiting): StateMachine<Waiting, OutputEvent, OutputEvent> => ({
  initial: files,
  step: (waiting, event) => {
    if (waiting.length === 0 || event.type !== "text" || event.delta === "") return [waiting, [event]];
    const { itemKey, part } = event;
    const told = waiting.map(({ type, file }): AnnotationEvent => ({
      type: "annotation",
      itemKey,
      part,
      annotation: { type, ...file },
    }));
    return [[], [event, ...told]];
  },
});
