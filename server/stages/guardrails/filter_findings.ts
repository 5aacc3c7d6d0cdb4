/** What content filters have found in a request: for the routing metadata, the receipt and errors. No matched text. */

import type { FilterResult, FilterSide } from "../../../shared/guardrails.ts";
import {
  type ActiveFilter,
  type ContentFilter,
  type ContentFilters,
  nameOf,
  outcomeOf,
  strongestOutcome,
} from "../../guardrails/content_filters.ts";
import type { CleanRequest } from "../../guardrails/clean_request.ts";
import { utf8Length } from "../../guardrails/scan_text.ts";
import type { RequestRecord, StageRecord } from "../../pipeline/request_context.ts";

interface Finding {
  readonly filter: ContentFilter;
  readonly side: FilterSide;
  count: number;
}

export class FilterFindings {
  readonly #record: RequestRecord;
  readonly #found = new Map<ContentFilter, { input?: Finding; output?: Finding }>();
  /** The stage of each guardrail in the record. */
  readonly #stages = new Map<string, StageRecord>();
  #bytes = 0;
  #unscanned = 0;
  #isChanged = false;

  constructor(record: RequestRecord) {
    this.#record = record;
  }

  readonly countBytes = (text: string): void => {
    this.#bytes += utf8Length(text);
  };

  /** Of a request in which nothing was found. */
  count({ bytes, unscanned }: CleanRequest): void {
    this.#bytes += bytes;
    this.#unscanned += unscanned;
  }

  countUnscanned(): void {
    this.#unscanned++;
  }

  add({ members }: ActiveFilter, side: FilterSide): void {
    this.#isChanged = true;
    for (const filter of members) {
      let sides = this.#found.get(filter);
      if (sides === undefined) this.#found.set(filter, sides = {});
      const finding = sides[side] ??= { filter, side, count: 0 };
      finding.count++;
    }
  }

  /** Which filters block, by their names. */
  blocked(
    side: FilterSide,
  ): { readonly patterns: readonly string[]; readonly guardrailId: string | undefined } {
    const blocking = this.#all.filter((one) => one.side === side && one.filter.action === "block");
    return {
      patterns: [...new Set(blocking.map(({ filter: { label } }) => label))],
      guardrailId: blocking[0]?.filter.guardrailId,
    };
  }

  /** Notes that a filter failed. The guardrail that is named. */
  failed({ users }: ContentFilters): string | undefined {
    const [member] = users.filters[0]?.members ?? [];
    if (member === undefined) return undefined;
    this.#record.stages.push({
      type: "guardrail",
      name: STAGE,
      guardrail_id: member.guardrailId,
      guardrail_scope: member.guardrailScope,
      summary: "The text could not be judged.",
      data: this.#withCounts({ action: "blocked", detected: false, engines: [], patterns: [] }),
    });
    return member.guardrailId;
  }

  get #all(): readonly Finding[] {
    return [...this.#found.values()].flatMap(({ input, output }) => [input ?? [], output ?? []].flat());
  }

  /** Told when they are asked for, at the end of the request. */
  #withCounts(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const [bytes, unscanned] = [() => this.#bytes, () => this.#unscanned];
    return {
      ...data,
      get scanned_bytes() {
        return bytes();
      },
      get unscanned_parts() {
        return unscanned();
      },
    };
  }

  /** For the receipt. */
  get #results(): readonly FilterResult[] {
    return this.#all.map(({ filter, side, count }) => ({
      id: filter.guardrailId,
      action: outcomeOf(filter),
      ...nameOf(filter),
      side,
      count,
    }));
  }

  /** Brings the stages of the record up to date: one for each guardrail in which something matched. */
  writeStages(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#record.filterResults = () => this.#results;
    const guardrails = new Set(this.#all.map(({ filter: { guardrailId } }) => guardrailId));
    for (const id of guardrails) {
      const findings = this.#all.filter(({ filter }) => filter.guardrailId === id);
      const stage = this.#stageOf(findings);
      const { stages } = this.#record;
      const before = this.#stages.get(id);
      const position = before === undefined ? -1 : stages.indexOf(before);
      if (position < 0) stages.push(stage);
      else stages[position] = stage;
      this.#stages.set(id, stage);
    }
  }

  #stageOf(findings: readonly Finding[]): StageRecord {
    const filters = [...new Set(findings.map(({ filter }) => filter))];
    const action = strongestOutcome(filters.map(outcomeOf));
    const matches = findings.reduce((sum, { count }) => sum + count, 0);
    const entityTypes = filters.flatMap(({ entityType }) => entityType ?? []);
    return {
      type: "guardrail",
      name: STAGE,
      guardrail_id: filters[0]?.guardrailId,
      guardrail_scope: filters[0]?.guardrailScope,
      summary: `${matches} ${matches === 1 ? "match" : "matches"} ${action}.`,
      data: this.#withCounts({
        action,
        detected: true,
        engines: [...new Set(filters.map(({ engine }) => engine))],
        patterns: [...new Set(filters.map(({ label }) => label))],
        matched_entity_types: [...new Set(entityTypes)],
      }),
    };
  }
}

const STAGE = "content-filter";
