/** What routing leaves for the routing metadata and the receipt (wire-reference §3.10). */

import { startOf } from "../../../shared/util/start_of.ts";
import type { Notes, Passed } from "../../pipeline/request_context.ts";
import type { Plan } from "../../routing/route_plan.ts";

export function notePlan(notes: Notes, plan: Plan): void {
  notes.candidates = plan.candidates.map(({ profile }) => profile.endpoint);
  notes.passed = plan.excluded;
  notes.strategy = plan.strategy;
  const params = () => paramsOf(plan);
  notes.params = params;
}

export function notePassed(notes: Notes, passed: Passed): void {
  notes.passed = [...notes.passed ?? [], passed];
}

/** The wishes that had a say, under the names that the API has for them. */
export function paramsOf({ asked, wishes, key }: Plan): Readonly<Record<string, unknown>> {
  const { order, sort, partition, fallbacks, minThroughput, maxLatency } = wishes;
  const unknown = asked.filter(({ endpoints }) => endpoints.length === 0).map(({ name }) =>
    startOf(name, 100)
  );
  const variants = [...new Set(asked.flatMap((one) => [...one.variants]))];
  const sorted = sort ?? asked.find((one) => one.sort !== undefined)?.sort;
  const params = {
    sticky: key.source === "request" ? undefined : key.source,
    order: order.length === 0 ? undefined : order,
    sort: sorted,
    partition: partition === "none" ? partition : undefined,
    allow_fallbacks: fallbacks ? undefined : false,
    throughput_floor: minThroughput,
    latency_ceiling: maxLatency,
    variants: variants.length === 0 ? undefined : variants,
    unknown_models: unknown.length === 0 ? undefined : unknown,
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}
