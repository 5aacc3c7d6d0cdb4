/** Tells the task of a request from the request alone: a linear model over its words, cues and traits. */

import type { TaskType } from "../../../../shared/task_types.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { gramFactor, type TaskFeatures, taskFeaturesOf } from "./task_features.ts";
import { type TaskWeights, taskWeights } from "./task_weights.ts";

/**
 * The task that the last message of the user's asks for; undefined where there is nothing to classify: speech, or
 * neither text nor picture. Reads a bounded part of the texts, and is pure.
 */
export const classifyTask = (request: ModelRequest): TaskType | undefined =>
  classifyWith(taskWeights(), request);

/** The same by other weights. */
export function classifyWith(weights: TaskWeights, request: ModelRequest): TaskType | undefined {
  const features = taskFeaturesOf(request, weights.table);
  return features && weights.tasks[positionOfMost(totalsOf(features, weights))];
}

function totalsOf(features: TaskFeatures, weights: TaskWeights): Float32Array {
  const { named, grams, gramValues } = features;
  const totals = new Float32Array(weights.tasks.length);
  for (let at = 0; at < grams.length; at++) {
    const value = gramValues[at] ?? 0;
    addRow(totals, { rows: weights.grams, position: grams[at] ?? 0, value });
  }
  const unit = weights.gramUnit * gramFactor(features);
  for (let task = 0; task < totals.length; task++) totals[task] = (totals[task] ?? 0) * unit;
  addRow(totals, { rows: weights.bias, position: 0, value: 1 });
  for (let at = 0; at < named.length; at++) {
    const value = named[at] ?? 0;
    if (value !== 0) addRow(totals, { rows: weights.named, position: at, value });
  }
  return totals;
}

interface WeightedRow {
  readonly rows: Float32Array | Int8Array;
  readonly position: number;
  readonly value: number;
}

function addRow(totals: Float32Array, { rows, position, value }: WeightedRow): void {
  const start = position * totals.length;
  for (let task = 0; task < totals.length; task++) {
    totals[task] = (totals[task] ?? 0) + value * (rows[start + task] ?? 0);
  }
}

/** The first of equals. */
function positionOfMost(totals: Float32Array): number {
  let most = 0;
  for (let at = 1; at < totals.length; at++) if ((totals[at] ?? 0) > (totals[most] ?? 0)) most = at;
  return most;
}
