/** The run as a program, to be copied. */

import { useSignal } from "@preact/signals";
import { CodeBlock } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Segments } from "../../components/forms/segments.tsx";
import { type CopiedCall, copyAs, type Language, languages } from "../../models/playground/copy_as.ts";
import { playgroundText } from "../../text/playground.ts";

export function CopyDialog({ call, onClose }: {
  readonly call: Omit<CopiedCall, "origin">;
  readonly onClose: () => void;
}) {
  const language = useSignal<Language>("curl");
  return (
    <Dialog title={playgroundText.copyAs} wide onClose={onClose}>
      <Segments
        label={playgroundText.copyLanguage}
        choices={languages.map((value) => ({ value, text: value }))}
        value={language.value}
        onChange={(chosen) => {
          language.value = chosen;
        }}
      />
      <p class="soft">{playgroundText.copyHint}</p>
      <CodeBlock title={language.value} code={copyAs(language.value, { ...call, origin: location.origin })} />
    </Dialog>
  );
}
