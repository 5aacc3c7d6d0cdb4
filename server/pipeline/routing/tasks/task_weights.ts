/** Weights of the classifier, which `deno task train-tasks` makes of tests/tasks/training.jsonl. */

import { isTaskType, type TaskType } from "../../../../shared/task_types.ts";
import { ownValue } from "../../../../shared/util/own_value.ts";
import { type GramTable, HashTable } from "./hash_table.ts";
import { featureNames } from "./task_features.ts";
import file from "./weights.json" with { type: "json" };

export interface TaskWeights {
  readonly tasks: readonly TaskType[];
  /** A weight a task. */
  readonly bias: Float32Array;
  /** Rows in the order of `featureNames`, a weight a task in each. */
  readonly named: Float32Array;
  readonly table: GramTable;
  /** Rows in the order of the table, in units of `gramUnit`. */
  readonly grams: Int8Array;
  readonly gramUnit: number;
}

/** The file: numbers of named features as they are, n-grams as bytes in base64. */
export interface WeightsFile {
  readonly tasks: readonly string[];
  readonly bias: readonly number[];
  readonly featureWeights: Readonly<Record<string, readonly number[]>>;
  readonly gramUnit: number;
  readonly gramHashes: string;
  readonly grams: string;
}

let decoded: TaskWeights | undefined;

/** Decodes the file at the first call. */
export const taskWeights = (): TaskWeights => decoded ??= decodeWeights(file);

export function decodeWeights(
  { tasks, bias, featureWeights, gramUnit, gramHashes, grams }: WeightsFile,
): TaskWeights {
  const hashes = new DataView(Uint8Array.fromBase64(gramHashes).buffer);
  const table = new HashTable(
    Array.from({ length: hashes.byteLength / 4 }, (_, at) => hashes.getInt32(at * 4, true)),
  );
  return {
    tasks: tasks.filter(isTaskType),
    bias: Float32Array.from(bias),
    named: Float32Array.from(
      featureNames.flatMap((name) => ownValue(featureWeights, name) ?? tasks.map(() => 0)),
    ),
    table,
    grams: new Int8Array(Uint8Array.fromBase64(grams).buffer),
    gramUnit,
  };
}
