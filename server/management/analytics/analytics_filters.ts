/** Filters of a question: those on dimensions choose rows before they are added up, those on metrics afterwards. */

import type { AnalyticsFilter, FilterOperator } from "../../../shared/management/analytics.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { UsageQuery } from "../../billing/ledger/usage/usage_query.ts";
import {
  type UsageCombination,
  type UsageDimension,
  usageDimensions,
  valuesAt,
} from "../../billing/ledger/usage/usage_rows.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import { invalidQuery } from "./query_error.ts";
import {
  dimensionNames,
  dimensionOf,
  isListOperator,
  metricFunction,
  type MetricInput,
  metricNames,
} from "./analytics_metrics.ts";

interface QueryFilters {
  /** The one key that all rows must be of, where a filter says so. */
  readonly key: string | undefined;
  readonly filter: UsageQuery["filter"];
  /** True for a group whose sums pass the filters. */
  readonly acceptsGroup: (figures: MetricInput) => boolean;
}

interface OfRows {
  readonly dimension: UsageDimension;
  readonly operator: FilterOperator;
  readonly values: ReadonlySet<string>;
}

type OfSums = (figures: MetricInput) => boolean;

/** A model is meant by each of its names. Throws an ApiError (400) for what is no filter. */
export function parseFilters(
  input: readonly AnalyticsFilter[],
  modelId: ManagementDeps["modelId"],
): QueryFilters {
  const rows: OfRows[] = [];
  const sums: OfSums[] = [];
  for (const [at, filter] of input.entries()) {
    assertValue(filter, at);
    const dimension = dimensionOf(filter.field);
    const metric = metricFunction(filter.field);
    if (dimension !== undefined) rows.push(rowFilters({ filter, dimension, modelId }, at));
    else if (metric !== undefined) sums.push(groupFilters({ filter, metric }, at));
    else throw unknownField(filter, at);
  }
  return {
    key: rows.find(isOneKey)?.values.values().next().value,
    filter: rows.length === 0 ? undefined : rowFilter(rows),
    acceptsGroup: (figures) => sums.every((takes) => takes(figures)),
  };
}

function unknownField({ field }: AnalyticsFilter, at: number) {
  const path = `filters[${at}].field`;
  const known = [...dimensionNames, ...metricNames].join(", ");
  return invalidQuery(path, `${path} is ${formatValue(field)}; known are ${known}`);
}

function assertValue({ operator, value }: AnalyticsFilter, at: number): void {
  const path = `filters[${at}].value`;
  const list = Array.isArray(value);
  if (list === isListOperator(operator)) return;
  throw invalidQuery(
    path,
    `${path} is ${list ? "a list" : "no list"}; ${operator} takes ${list ? "one value" : "a list"}`,
  );
}

interface OnDimension {
  readonly filter: AnalyticsFilter;
  readonly dimension: UsageDimension;
  readonly modelId: ManagementDeps["modelId"];
}

const equalities: ReadonlySet<FilterOperator> = new Set(["eq", "neq", "in", "not_in"]);

function rowFilters({ filter, dimension, modelId }: OnDimension, at: number): OfRows {
  const { field, operator, value } = filter;
  if (!equalities.has(operator)) {
    const path = `filters[${at}].operator`;
    throw invalidQuery(path, `${path} is ${operator}; ${field} takes ${[...equalities].join(", ")}`);
  }
  const values = (Array.isArray(value) ? value : [value]).map(String);
  const ids = dimension === "key" || dimension === "workspace";
  const named = ids
    ? values.map((id) => id.toLowerCase())
    : dimension === "model"
    ? values.map(modelId)
    : values;
  return { dimension, operator, values: new Set(named) };
}

const isOneKey = ({ dimension, operator, values }: OfRows): boolean =>
  dimension === "key" && (operator === "eq" || operator === "in") && values.size === 1;

function rowFilter(rows: readonly OfRows[]): NonNullable<UsageQuery["filter"]> {
  const all = rows.map(({ dimension, operator, values }) => ({
    place: usageDimensions.indexOf(dimension),
    wanted: operator === "eq" || operator === "in",
    values,
  }));
  return {
    looksAt: new Set(rows.map(({ dimension }) => dimension)),
    takes: (combination: UsageCombination) =>
      all.every(({ place, wanted, values }) =>
        valuesAt(combination, place).some((value) => values.has(value)) === wanted
      ),
  };
}

interface OnMetric {
  readonly filter: AnalyticsFilter;
  readonly metric: (figures: MetricInput) => number | null;
}

/** A figure that there is none of passes no comparison. */
function groupFilters({ filter: { operator, value }, metric }: OnMetric, at: number): OfSums {
  const numbers = (Array.isArray(value) ? value : [value]).map((one, place) => {
    if (typeof one === "number") return one;
    const path = Array.isArray(value) ? `filters[${at}].value[${place}]` : `filters[${at}].value`;
    throw invalidQuery(path, `${path} is ${formatValue(one)}; a metric is compared with numbers`);
  });
  return (figures) => {
    const figure = metric(figures);
    return figure !== null && compares(figure, { operator, numbers });
  };
}

interface Compared {
  readonly operator: FilterOperator;
  readonly numbers: readonly number[];
}

function compares(figure: number, { operator, numbers }: Compared): boolean {
  const [first = NaN] = numbers;
  switch (operator) {
    case "eq":
    case "in":
      return numbers.includes(figure);
    case "neq":
    case "not_in":
      return !numbers.includes(figure);
    case "gt":
      return figure > first;
    case "gte":
      return figure >= first;
    case "lt":
      return figure < first;
    case "lte":
      return figure <= first;
    default:
      return operator satisfies never;
  }
}
