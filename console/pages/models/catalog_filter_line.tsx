/** Filters of the catalog: search, and choices that stand in the address. */

import { ChipSelect } from "../../components/chip.tsx";
import { SearchField } from "../../components/forms/search_field.tsx";
import type { CatalogModel } from "../../models/catalog/catalog.ts";
import { type CatalogChip, catalogChips } from "../../models/catalog/catalog_filters.ts";
import { catalogChipText, choiceText, modelsText } from "../../text/models.ts";

const ANY = "any";

const chipNames = ["writes", "takes", "context", "can", "price"] as const satisfies readonly CatalogChip[];

interface ChipProps {
  readonly model: CatalogModel;
  readonly name: CatalogChip;
}

function Chip({ model, name }: ChipProps) {
  const { label, any } = catalogChipText[name];
  const choices: readonly string[] = catalogChips[name];
  return (
    <ChipSelect
      label={label}
      value={model.filters.value[name] ?? ANY}
      none={ANY}
      choices={[
        { value: ANY, text: any },
        ...choices.map((value) => ({ value, text: choiceText(value) })),
      ]}
      onChange={(value) => model.filter(name, value === ANY ? undefined : value)}
    />
  );
}

export function CatalogFilterLine({ model }: { readonly model: CatalogModel }) {
  return (
    <div class="filters catalog-filters">
      <SearchField
        label={modelsText.search}
        placeholder={modelsText.searchHint}
        value={model.filters.value.q}
        onInput={(q) => model.search(q)}
      />
      {chipNames.map((name) => <Chip key={name} model={model} name={name} />)}
    </div>
  );
}
