/** Values whose texts a service judges, all in as few calls as possible. */

import type { Work } from "../../../../shared/util/run_work.ts";
import { readShaped } from "../../guardrails/scanners/scan_slots.ts";
import type { Shape } from "../../guardrails/text_slots/shape.ts";
import { describePath, type TextSlot } from "../../guardrails/text_slots/slot.ts";
import { writeSlots } from "../../guardrails/text_slots/write_slots.ts";
import type { ExternalJudge, Judging } from "./external_judge.ts";

export interface JudgedValue {
  /** Beginning of the paths in it. */
  readonly name: string;
  readonly value: unknown;
  readonly shape: Shape;
}

interface JudgeOptions {
  readonly judge: ExternalJudge;
  readonly judging: Judging;
}

interface ReadJudged extends JudgedValue {
  readonly slots: readonly TextSlot[];
}

/** The values as they may go on: the same ones where nothing is replaced. Rejects with an ApiError. */
export async function judgeValues(
  values: readonly JudgedValue[],
  { judge, judging }: JudgeOptions,
): Promise<readonly unknown[]> {
  const read = await judge.run(readAll(values));
  const all = read.flatMap(({ name, slots }) =>
    slots.filter(({ around }) => around === undefined).map((slot) => ({ name, slot }))
  );
  const texts = all.map(({ name, slot: { path, text } }) => ({
    path: path === undefined ? name : `${name}.${describePath(path)}`,
    text,
  }));
  const replaced = await judge.judge(texts, judging);
  if (replaced.size === 0) return values.map(({ value }) => value);
  const changes = new Map([...replaced].flatMap(([at, text]) => {
    const found = all[at];
    return found === undefined ? [] : [[found.slot, text] as const];
  }));
  return await judge.run(writeAll(read, changes));
}

function* readAll(values: readonly JudgedValue[]): Work<readonly ReadJudged[]> {
  const read: ReadJudged[] = [];
  for (const judged of values) {
    read.push({ ...judged, slots: (yield* readShaped(judged.value, judged.shape)).slots });
    yield;
  }
  return read;
}

function* writeAll(
  read: readonly ReadJudged[],
  changes: ReadonlyMap<TextSlot, string>,
): Work<readonly unknown[]> {
  const written: unknown[] = [];
  for (const { value, shape, slots } of read) {
    const own = slots.flatMap((slot) => {
      const text = changes.get(slot);
      return text === undefined ? [] : [[slot, text] as const];
    });
    written.push(own.length === 0 ? value : yield* writeSlots(value, { shape, changes: new Map(own) }));
    yield;
  }
  return written;
}
