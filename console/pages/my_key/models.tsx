/** The models that the holder's key may call, found by a search. */

import { useSignal } from "@preact/signals";
import { Id } from "../../components/copy.tsx";
import { SearchField } from "../../components/forms/search_field.tsx";
import { Section } from "../../components/page.tsx";
import { formatCount } from "../../format.ts";
import { myModelsText } from "../../text/my_key.ts";

/** Models that are shown at first, and with each click more. */
const STEP = 20;

export function OwnModels({ models }: { readonly models: readonly string[] }) {
  const q = useSignal("");
  const most = useSignal(STEP);
  const words = q.value.toLowerCase().split(/\s+/);
  const found = models.filter((id) => words.every((word) => id.toLowerCase().includes(word)));
  const shown = found.slice(0, most.value);
  return (
    <Section title={myModelsText.title}>
      <div class="filters">
        <SearchField
          label={myModelsText.search}
          placeholder={myModelsText.searchHint}
          value={q.value}
          onInput={(text) => {
            q.value = text;
            most.value = STEP;
          }}
        />
      </div>
      <div class="box box-pad stack">
        {found.length === 0 && (
          <p class="soft">{models.length === 0 ? myModelsText.none : myModelsText.notFound(q.value)}</p>
        )}
        <ul class="own-models" aria-label={myModelsText.title}>
          {shown.map((id) => (
            <li key={id}>
              <bdi class="cut mono" title={id}>{id}</bdi>
              <Id id={id} />
            </li>
          ))}
        </ul>
        {found.length > shown.length && (
          <div>
            <button
              type="button"
              class="button"
              onClick={() => {
                most.value += STEP;
              }}
            >
              {myModelsText.more(formatCount(found.length - shown.length))}
            </button>
          </div>
        )}
      </div>
    </Section>
  );
}
