/** Whether responses to a key's requests are cached, and for how long. */

import type { DraftProps } from "../../components/forms/draft_props.ts";
import { SwitchRow, TextField } from "../../components/forms/field.tsx";
import { type CacheDraft, secondsProblem } from "../../models/keys/cache_seconds.ts";
import { keyPanelText } from "../../text/keys.ts";

export function CacheFields({ draft, disabled, onType }: DraftProps<CacheDraft>) {
  return (
    <>
      <SwitchRow
        label={keyPanelText.cache}
        hint={keyPanelText.cacheHint}
        checked={draft.cache}
        disabled={disabled}
        onChange={(cache) => onType({ cache })}
      />
      {draft.cache && (
        <TextField
          label={keyPanelText.cacheSeconds}
          hint={keyPanelText.cacheSecondsHint}
          problem={secondsProblem(draft)}
          value={draft.cacheSeconds}
          disabled={disabled}
          onInput={(cacheSeconds) => onType({ cacheSeconds })}
        />
      )}
    </>
  );
}
