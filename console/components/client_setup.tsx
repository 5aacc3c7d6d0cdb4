/** How a client is set up: a choice of clients, and what to paste for the chosen one. */

import { useSignal } from "@preact/signals";
import { clientSetups, type SetupOptions } from "../models/keys/client_setups.ts";
import { commonText } from "../text/common.ts";
import { CodeBlock } from "./copy.tsx";
import { Segments } from "./forms/segments.tsx";

export function ClientSetup(options: SetupOptions) {
  const setups = clientSetups(options);
  const chosen = useSignal(setups[0]?.name ?? "");
  const parts = setups.find(({ name }) => name === chosen.value)?.parts ?? [];
  return (
    <div class="set-up">
      <Segments
        label={commonText.client}
        choices={setups.map(({ name }) => ({ value: name, text: name }))}
        value={chosen.value}
        onChange={(name) => {
          chosen.value = name;
        }}
      />
      {parts.map(({ place, code }) => <CodeBlock key={place} title={place} code={code} />)}
    </div>
  );
}
