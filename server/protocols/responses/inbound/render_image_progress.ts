/**
 * How an image comes into being, as the Responses wire tells it (specification, Exact orderings): in_progress,
 * generating, partial images, completed. Providers of this wire say it themselves, more or less; images of other
 * wires come whole and without a word. Clients get every step once and in this order.
 */

import type { JsonObject, OutputItem } from "../../canonical/item.ts";
import type { Emission, OpenItem } from "./render_open_item.ts";

const PICTURE = "image_generation_call";

/** The steps in their order; partial images come after the second. */
const steps = ["in_progress", "generating", "completed"] as const;

/** Steps that come before any partial image, and before the end. */
const MAKING = 2;

type ProgressStep = readonly [OpenItem, readonly Emission[]];

const isImage = (item: OutputItem) => item.type === "foreign" && item.kind === PICTURE;

/** True for what the provider says about the making of the image that is open. */
export function isImageProgressEvent(open: OpenItem, type: string): boolean {
  return isImage(open.item) && type.startsWith(`response.${PICTURE}.`);
}

/** A step that the provider tells: what it skipped is told before it, what it repeats is not told again. */
export function renderImageProgress(open: OpenItem, event: Emission): ProgressStep {
  const step = steps.findIndex((name) => event.type === `response.${PICTURE}.${name}`);
  if (step >= 0) {
    const [now, before] = reach(open, step);
    if (now.imageSteps !== step) return [now, before];
    return [{ ...now, imageSteps: step + 1 }, [...before, { ...event, ...address(open) }]];
  }
  if (open.imageSteps > MAKING) return [open, []];
  const [now, before] = reach(open, MAKING);
  return [now, [...before, { ...event, ...address(open) }]];
}

/** The steps that are left when the item closes; one without an image was not completed. */
export function renderImageEnd(open: OpenItem): readonly Emission[] {
  if (!isImage(open.item) || open.item.type !== "foreign") return [];
  const { result, status } = open.item.value;
  if (typeof result !== "string" || status === "failed") return [];
  return reach(open, steps.length)[1];
}

/** Tells the steps up to a count of them. */
function reach(open: OpenItem, count: number): ProgressStep {
  const missing = steps.slice(open.imageSteps, count);
  if (missing.length === 0) return [open, []];
  const events = missing.map((name) => ({ type: `response.${PICTURE}.${name}`, ...address(open) }));
  return [{ ...open, imageSteps: count }, events];
}

const address = (open: OpenItem): JsonObject => ({ item_id: open.id, output_index: open.index });
