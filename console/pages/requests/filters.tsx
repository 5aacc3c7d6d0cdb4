/** Filters of the requests: search, time and state as choices, all others as chips that a click takes away. */

import { ranges } from "../../models/series.ts";
import { ChipSelect } from "../../components/chip.tsx";
import { SearchField } from "../../components/forms/search_field.tsx";
import { Icon } from "../../components/icon.tsx";
import { formatLimit, formatMs, formatShortDay, formatTime, shortId } from "../../format.ts";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { guardrailName } from "../../models/guardrails/guardrail_name.ts";
import type { KeyNames } from "../../models/keys/key_names.ts";
import { filterList, type FilterName, momentOf, statusList } from "../../models/requests/request_filters.ts";
import type { RequestsModel } from "../../models/requests/requests.ts";
import { filterNames, filtersText, requestsText, statusNames } from "../../text/requests.ts";
import { FilterDialog } from "./filter_dialog.tsx";
import { RequestColumns } from "./request_table.tsx";

const momentText = (at: number) => `${formatShortDay(at)}, ${formatTime(at)}`;

/** Text of the span that the address names; undefined where it names none. */
function spanText(query: ReadonlyMap<string, string>): string | undefined {
  const [since, until] = [momentOf(query.get("since")), momentOf(query.get("until"))];
  if (since === undefined) return until === undefined ? undefined : requestsText.until(momentText(until));
  if (until === undefined) return requestsText.since(momentText(since));
  const isOneDay = formatShortDay(since) === formatShortDay(until);
  return requestsText.span(momentText(since), isOneDay ? formatTime(until) : momentText(until));
}

function TimeChip({ model }: { readonly model: RequestsModel }) {
  const { query } = app.router;
  const span = spanText(query.value);
  const range = query.value.get("range");
  const known = ranges.find(({ id }) => id === range)?.id ?? "24h";
  return (
    <ChipSelect
      label={requestsText.time}
      value={span === undefined ? known : "between"}
      none="24h"
      choices={[
        ...ranges.map(({ id, text }) => ({ value: id, text })),
        { value: "between", text: span ?? requestsText.between },
      ]}
      onChange={(value) => value === "between" ? openFilters() : model.setRange(value)}
    />
  );
}

function StateChip({ model }: { readonly model: RequestsModel }) {
  const value = statusList.find((status) => status === model.filters.value.status) ?? "any";
  return (
    <ChipSelect
      label={requestsText.state}
      value={value}
      none="any"
      choices={[
        { value: "any", text: requestsText.any },
        ...statusList.map((status) => ({ value: status, text: statusNames[status] })),
      ]}
      onChange={(status) => model.setFilters({ status: status === "any" ? undefined : status })}
    />
  );
}

const openFilters = () => app.router.setQuery({ open: "filters" }, { push: true });

interface FiltersProps {
  readonly model: RequestsModel;
  readonly names: KeyNames;
}

/** Name of the guardrail that is filtered by. */
function useGuardrailName({ model }: Pick<FiltersProps, "model">): string | undefined {
  const id = model.filters.value.guardrail;
  const name = useMemo(() => guardrailName({ api: app.api, id: () => model.filters.peek().guardrail }), []);
  useEffect(() => whenConnected(() => void name.load()), [id]);
  return name.data.value;
}

interface ValueNames extends Pick<FiltersProps, "names"> {
  readonly guardrail: string | undefined;
}

/** Value of a filter as it is read: names, amounts and times. */
function valueText(name: FilterName, value: string, { names, guardrail }: ValueNames): string {
  switch (name) {
    case "key":
      return names.of(value) ?? requestsText.deletedKey(value.slice(0, 6));
    case "guardrail":
      return guardrail ?? shortId(value);
    case "min_cost":
      return formatLimit(Number(value));
    case "min_ms":
      return formatMs(Number(value));
    case "error":
      return value.replaceAll("_", " ");
    case "fell_back":
      return value === "true" ? filtersText.fellBack.true : filtersText.fellBack.false;
    default:
      return value;
  }
}

/** Filters that the search and the choice of the state show already. */
const shownElsewhere: ReadonlySet<FilterName> = new Set(["q", "id", "status"]);

function SetFilters({ model, names }: FiltersProps) {
  const filters = model.filters.value;
  const guardrail = useGuardrailName({ model });
  const set = filterList.filter((name) => filters[name] !== undefined && !shownElsewhere.has(name));
  if (set.length === 0) return null;
  return (
    <div class="set-filters">
      {set.map((name) => {
        const text = valueText(name, filters[name] ?? "", { names, guardrail });
        return (
          <button
            key={name}
            type="button"
            class="chip chip-on"
            aria-label={requestsText.remove(`${filterNames[name]} ${text}`)}
            title={text}
            onClick={() => model.setFilters({ [name]: undefined })}
          >
            {filterNames[name]} <b>{text}</b>
            <Icon name="close" />
          </button>
        );
      })}
    </div>
  );
}

export function Filters({ model, names }: FiltersProps) {
  return (
    <>
      <div class="filters">
        <SearchField
          label={requestsText.search}
          placeholder={requestsText.searchHint}
          value={model.search.value}
          onInput={(text) => model.searchFor(text)}
        />
        <TimeChip model={model} />
        <StateChip model={model} />
        <button type="button" class="chip chip-add" onClick={openFilters}>
          <Icon name="plus" />
          <span>{requestsText.addFilter}</span>
        </button>
        {model.view.value === "requests" && <RequestColumns model={model} names={names} />}
      </div>
      <SetFilters model={model} names={names} />
      {app.router.query.value.get("open") === "filters" && <FilterDialog model={model} names={names} />}
    </>
  );
}
