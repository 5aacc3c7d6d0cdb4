/**
 * Trains the weights of the task classifier: multinomial logistic regression by stochastic gradient descent, in a fixed
 * order and without chance, so that the same prompts make the same bytes.
 */

import { type TaskType, taskTypes } from "../../shared/task_types.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import type { GramTable } from "../../server/pipeline/routing/tasks/hash_table.ts";
import { HashTable } from "../../server/pipeline/routing/tasks/hash_table.ts";
import {
  featureNames,
  gramFactor,
  type TaskFeatures,
  taskFeaturesOf,
} from "../../server/pipeline/routing/tasks/task_features.ts";
import type { WeightsFile } from "../../server/pipeline/routing/tasks/task_weights.ts";

export interface Example {
  readonly request: ModelRequest;
  readonly task: TaskType;
}

const MOST_GRAMS = 12_000;
const EPOCHS = 30;
const FIRST_RATE = 0.1;
const LAST_RATE = 0.01;
const DECAY = 0.0005;
/** Part of a prompt's features that a step leaves out, so that no task hangs on a single one. */
const LEFT_OUT = 0.5;
const classes = taskTypes.length;

/** Gives each n-gram that it sees the next position. */
class GrowingTable implements GramTable {
  readonly size = 1 << 20;
  readonly hashes: number[] = [];
  readonly #positions = new Map<number, number>();

  find(hash: number): number {
    const known = this.#positions.get(hash);
    if (known !== undefined) return known;
    if (this.hashes.length === this.size) return -1;
    this.hashes.push(hash);
    this.#positions.set(hash, this.hashes.length - 1);
    return this.hashes.length - 1;
  }
}

/** The n-grams that tell most of the task, by how far their tasks are from those of all prompts. */
export function chooseGrams(examples: readonly Example[]): readonly number[] {
  const table = new GrowingTable();
  const counts = new Map<number, Uint16Array>();
  for (const { request, task } of examples) {
    for (const gram of taskFeaturesOf(request, table)?.grams ?? []) {
      const row = counts.get(gram) ?? new Uint16Array(classes);
      counts.set(gram, row);
      const at = taskTypes.indexOf(task);
      row[at] = (row[at] ?? 0) + 1;
    }
  }
  const rated = [...counts].flatMap(([gram, row]) => {
    const seen = row.reduce((sum, count) => sum + count, 0);
    return seen < 2 ? [] : [{ hash: table.hashes[gram] ?? 0, figure: divergence(row, seen) }];
  });
  rated.sort((one, other) => other.figure - one.figure || one.hash - other.hash);
  return rated.slice(0, MOST_GRAMS).map(({ hash }) => hash);
}

/** Times seen × the divergence of its tasks from all being equally frequent, smoothed. */
function divergence(row: Uint16Array, seen: number): number {
  let sum = 0;
  for (const count of row) {
    const part = (count + 0.25) / (seen + classes / 4);
    sum += part * Math.log(part * classes);
  }
  return seen * sum;
}

/** One example as the sparse row that training reads. */
interface SparseRow {
  readonly at: Int32Array;
  readonly values: Float64Array;
  readonly task: number;
}

/** Named features first, then n-grams. */
function sparseRow(features: TaskFeatures, task: TaskType): SparseRow {
  const { named, grams, gramValues } = features;
  const present = [...named.keys()].filter((at) => named[at] !== 0);
  const factor = gramFactor(features);
  return {
    at: Int32Array.from([...present, ...grams.map((gram) => gram + featureNames.length)]),
    values: Float64Array.from([
      ...present.map((at) => named[at] ?? 0),
      ...gramValues.map((value) => value * factor),
    ]),
    task: taskTypes.indexOf(task),
  };
}

function trainRows(rows: readonly SparseRow[], features: number) {
  const weights = new Float64Array(features * classes);
  const bias = new Float64Array(classes);
  const steps = EPOCHS * rows.length;
  const stride = strideFor(rows.length);
  for (let step = 0; step < steps; step++) {
    const row = rows[(step * stride) % rows.length];
    const rate = FIRST_RATE * (LAST_RATE / FIRST_RATE) ** (step / steps);
    if (row !== undefined) descend(thinned(row, step), { weights, bias, rate });
  }
  return { weights, bias };
}

/** Some of the features, others at every step, in an order that only the step decides; the sum stays what it was. */
function thinned({ at, values, task }: SparseRow, step: number): SparseRow {
  let state = Math.imul(step, 0x9e3779b1);
  const isKept = at.map(() => {
    state = (Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x9e3779b9) | 0;
    return (state >>> 8) / 0x1000000 >= LEFT_OUT ? 1 : 0;
  });
  return {
    at: at.filter((_, index) => isKept[index] === 1),
    values: values.filter((_, index) => isKept[index] === 1).map((value) => value / (1 - LEFT_OUT)),
    task,
  };
}

/** A stride that visits every row once an epoch, far from its neighbours. */
function strideFor(length: number): number {
  let stride = Math.max(1, Math.floor(length * 0.618));
  while (commonDivisor(stride, length) !== 1) stride++;
  return stride;
}

const commonDivisor = (one: number, other: number): number =>
  other === 0 ? one : commonDivisor(other, one % other);

interface Descent {
  readonly weights: Float64Array;
  readonly bias: Float64Array;
  readonly rate: number;
}

function descend(row: SparseRow, { weights, bias, rate }: Descent): void {
  const errors = errorsOf(row, { weights, bias });
  for (let one = 0; one < classes; one++) bias[one] = (bias[one] ?? 0) - rate * 0.1 * (errors[one] ?? 0);
  for (let index = 0; index < row.at.length; index++) {
    const start = (row.at[index] ?? 0) * classes;
    const value = row.values[index] ?? 0;
    for (let one = 0; one < classes; one++) {
      const weight = weights[start + one] ?? 0;
      weights[start + one] = weight - rate * ((errors[one] ?? 0) * value + DECAY * weight);
    }
  }
}

/** The probability of each task, less 1 for the right one. */
function errorsOf(
  { at, values, task }: SparseRow,
  { weights, bias }: Pick<Descent, "weights" | "bias">,
): Float64Array {
  const scores = Float64Array.from(bias);
  for (let index = 0; index < at.length; index++) {
    const start = (at[index] ?? 0) * classes;
    const value = values[index] ?? 0;
    for (let one = 0; one < classes; one++) {
      scores[one] = (scores[one] ?? 0) + value * (weights[start + one] ?? 0);
    }
  }
  const most = Math.max(...scores);
  const exponents = scores.map((score) => Math.exp(score - most));
  const sum = exponents.reduce((total, exponent) => total + exponent, 0);
  return exponents.map((exponent, one) => exponent / sum - (one === task ? 1 : 0));
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

function encodeHashes(hashes: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(hashes.length * 4));
  hashes.forEach((hash, at) => view.setInt32(at * 4, hash, true));
  return new Uint8Array(view.buffer).toBase64();
}

export function trainWeights(examples: readonly Example[]): WeightsFile {
  const hashes = chooseGrams(examples);
  const table = new HashTable(hashes);
  const rows = examples.flatMap(({ request, task }) => {
    const features = taskFeaturesOf(request, table);
    return features === undefined ? [] : [sparseRow(features, task)];
  });
  const { weights, bias } = trainRows(rows, featureNames.length + hashes.length);
  const grams = weights.subarray(featureNames.length * classes);
  const gramUnit = rounded(
    grams.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127 + 0.0005,
  );
  return {
    tasks: taskTypes,
    bias: [...bias].map(rounded),
    featureWeights: Object.fromEntries(featureNames.map((name, at) => [
      name,
      [...weights.subarray(at * classes, (at + 1) * classes)].map(rounded),
    ])),
    gramUnit,
    gramHashes: encodeHashes(hashes),
    grams: new Uint8Array(Int8Array.from(grams, (weight) => Math.round(weight / gramUnit)).buffer).toBase64(),
  };
}
