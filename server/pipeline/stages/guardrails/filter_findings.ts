/** Findings of content filters in a request: for the routing metadata, the receipt and errors. No matched text. */

import type { GuardedSide } from "../../../../shared/external_guardrail.ts";
import type { FilterResult } from "../../../../shared/guardrails.ts";
import type { Work } from "../../../../shared/util/run_work.ts";
import {
  type ActiveFilter,
  type ContentFilter,
  type ContentFilters,
  type FilteringGuardrail,
  nameOf,
} from "../../guardrails/content_filters.ts";
import { outcomeOf, strongestOutcome } from "../../guardrails/filter_strength.ts";
import { countUtf8Bytes } from "../../guardrails/scanners/scan_text.ts";
import type { RequestRecord } from "../../request_context.ts";
import type { StageRecord } from "../../request_record.ts";

interface Finding {
  readonly filter: ContentFilter;
  readonly side: GuardedSide;
  count: number;
}

type Sides = { [S in GuardedSide]?: Finding };

export class FilterFindings {
  readonly #record: RequestRecord;
  readonly #found = new Map<ContentFilter, Sides>();
  /** The stage of each guardrail in the record. */
  readonly #stages = new Map<string, StageRecord>();
  readonly #guardrails = new Map<string, FilteringGuardrail>();
  readonly #unasked = new Set<string>();
  #bytes = 0;
  #unscanned = 0;
  #isChanged = false;

  constructor(record: RequestRecord) {
    this.#record = record;
  }

  /** Counts the bytes of a text. For a long text it returns the work, which is left to do. */
  countBytes(text: string): Work<void> | undefined {
    return countUtf8Bytes(text, this.#addBytes);
  }

  readonly #addBytes = (bytes: number): void => {
    this.#bytes += bytes;
  };

  /** Guardrails whose filters read the request: they say what could not be read. */
  watch(guardrails: readonly FilteringGuardrail[]): void {
    for (const guardrail of guardrails) this.#guardrails.set(guardrail.id, guardrail);
  }

  countUnscanned(parts: number): void {
    if (parts === 0) return;
    this.#unscanned += parts;
    this.#isChanged = true;
  }

  /** A guardrail blocks what it cannot read. */
  addUnreadable(guardrail: FilteringGuardrail, side: GuardedSide): void {
    this.addOwn({
      guardrailId: guardrail.id,
      guardrailScope: guardrail.scope,
      action: "block",
      label: "unreadable",
      placeholder: "",
      engine: "regex",
    }, side);
  }

  /** Adds a result that no filter has found. */
  addOwn(filter: ContentFilter, side: GuardedSide): void {
    this.#isChanged = true;
    const known = this.#all.find((one) =>
      one.side === side && JSON.stringify(one.filter) === JSON.stringify(filter)
    );
    if (known !== undefined) known.count++;
    else this.#found.set(filter, { [side]: { filter, side, count: 1 } });
  }

  /** Notes that the service of a guardrail gave no proper answer. */
  unasked({ id, scope }: FilteringGuardrail, fail: "closed" | "open"): void {
    if (this.#unasked.has(id)) return;
    this.#unasked.add(id);
    const action = fail === "open" ? "allowed" : "blocked";
    this.#record.addStage({
      type: "guardrail",
      name: STAGE,
      guardrail_id: id,
      guardrail_scope: scope,
      summary: `The service could not be asked; the text was ${action}.`,
      data: this.#withCounts({ action, detected: false, engines: ["http"], patterns: [] }),
    });
  }

  add({ members }: ActiveFilter, side: GuardedSide): void {
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
    side: GuardedSide,
  ): { readonly patterns: readonly string[]; readonly guardrailId: string | undefined } {
    const blocking = this.#all.filter((one) => one.side === side && one.filter.action === "block");
    return {
      patterns: [...new Set(blocking.map(({ filter: { label } }) => label))],
      guardrailId: blocking[0]?.filter.guardrailId,
    };
  }

  /** Notes that a filter failed. The guardrail that is named. */
  failed({ guardrails }: ContentFilters): string | undefined {
    const [guardrail] = guardrails;
    if (guardrail === undefined) return undefined;
    this.#record.addStage({
      type: "guardrail",
      name: STAGE,
      guardrail_id: guardrail.id,
      guardrail_scope: guardrail.scope,
      summary: "The text could not be judged.",
      data: this.#withCounts({ action: "blocked", detected: false, engines: [], patterns: [] }),
    });
    return guardrail.id;
  }

  get #all(): readonly Finding[] {
    return [...this.#found.values()].flatMap(({ input, output, tools }) =>
      [input ?? [], output ?? [], tools ?? []].flat()
    );
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

  /**
   * Brings the stages of the record up to date: one for each guardrail in which something matched, and for all of them
   * where something could not be read.
   */
  writeStages(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const all = this.#all;
    if (all.length > 0) this.#record.filterResults = () => this.#results;
    const unread = this.#unscanned === 0 ? [] : this.#guardrails.keys();
    const guardrails = new Set([...all.map(({ filter: { guardrailId } }) => guardrailId), ...unread]);
    for (const id of guardrails) {
      const findings = all.filter(({ filter }) => filter.guardrailId === id);
      const stage = findings.length === 0 ? this.#unreadStage(id) : this.#stageOf(findings);
      this.#record.addStage(stage, this.#stages.get(id));
      this.#stages.set(id, stage);
    }
  }

  /** Nothing was found, but not everything could be read. */
  #unreadStage(id: string): StageRecord {
    return {
      type: "guardrail",
      name: STAGE,
      guardrail_id: id,
      guardrail_scope: this.#guardrails.get(id)?.scope,
      summary: "Nothing was found; some parts could not be read.",
      data: this.#withCounts({ action: "allowed", detected: false, engines: [], patterns: [] }),
    };
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
