/** How good training is on prompts of the training file that it has not seen: each quarter by the three others. */

import { classifyWith } from "../../server/pipeline/routing/tasks/classify_task.ts";
import { decodeWeights } from "../../server/pipeline/routing/tasks/task_weights.ts";
import type { Judged } from "./confusion.ts";
import { type Example, trainWeights } from "./train_weights.ts";

export type LabelledExample = Example & { readonly language: string };

const FOLDS = 4;

export function crossValidate<T extends LabelledExample>(examples: readonly T[]): readonly (T & Judged)[] {
  return Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
    const isOfFold = (_: T, at: number) => at % FOLDS === fold;
    const weights = decodeWeights(trainWeights(examples.filter((one, at) => !isOfFold(one, at))));
    return examples.filter(isOfFold).map((one) => ({
      ...one,
      classified: classifyWith(weights, one.request),
    }));
  });
}
