/** Values of the fields of a page's form, as a person sees them. */

import * as z from "zod";

const flags = { hidden: 2, noView: 32 } as const;
/** Points: nobody reads what is smaller. */
const LEAST_SIZE = 3;
const MAX_LABEL = 200;

const colour = z.unknown().transform((value) =>
  // PDF.js has them as lists of three bytes of different kinds.
  value instanceof Uint8ClampedArray || value instanceof Uint8Array ? [...value] : undefined
);

const text = z.string().catch("");

const widgetSchema = z.object({
  subtype: z.literal("Widget"),
  annotationFlags: z.number().catch(0),
  hidden: z.boolean().catch(false),
  password: z.boolean().catch(false),
  rect: z.tuple([z.number(), z.number(), z.number(), z.number()]),
  fieldType: z.enum(["Tx", "Ch", "Btn"]),
  fieldName: text,
  alternativeText: text,
  fieldValue: z.union([z.string(), z.array(z.string())]).nullish().catch(undefined),
  options: z.array(z.object({ exportValue: text, displayValue: text })).catch([]),
  checkBox: z.boolean().catch(false),
  radioButton: z.boolean().catch(false),
  exportValue: text,
  buttonValue: text,
  backgroundColor: colour,
  defaultAppearanceData: z.object({ fontColor: colour }).nullish().catch(undefined),
});
type Widget = z.output<typeof widgetSchema>;

/** Lines of Markdown, one for each field that is filled in or can be ticked; empty where there is none. */
export function formFields(annotations: readonly unknown[], view: readonly number[]): string {
  const lines = annotations.flatMap((annotation) => {
    const { data } = widgetSchema.safeParse(annotation);
    return data !== undefined && isSeen(data, view) ? lineOf(data) : [];
  });
  return [...new Set(lines)].join("\n");
}

function isSeen(widget: Widget, view: readonly number[]): boolean {
  const { annotationFlags, hidden, password, rect: [left, bottom, right, top] } = widget;
  if (hidden || password || (annotationFlags & (flags.hidden | flags.noView)) !== 0) return false;
  const [viewLeft = 0, viewBottom = 0, viewRight = 0, viewTop = 0] = view;
  const width = Math.min(right, viewRight) - Math.max(left, viewLeft);
  const height = Math.min(top, viewTop) - Math.max(bottom, viewBottom);
  return width >= LEAST_SIZE && height >= LEAST_SIZE && !isUnpainted(widget);
}

const WHITE = [255, 255, 255];
/** Steps of a byte between two colours that a person tells apart. */
const LEAST_CONTRAST = 24;

/** Its letters have the colour of what lies behind them. */
function isUnpainted({ backgroundColor, defaultAppearanceData }: Widget): boolean {
  const letters = defaultAppearanceData?.fontColor;
  const behind = backgroundColor ?? WHITE;
  return letters !== undefined &&
    letters.every((value, at) => Math.abs(value - (behind[at] ?? 0)) < LEAST_CONTRAST);
}

function lineOf(widget: Widget): readonly string[] {
  const { fieldType, checkBox, radioButton, fieldValue, exportValue, buttonValue } = widget;
  if (fieldType !== "Btn") {
    const value = oneLine(valuesOf(widget).join(", "));
    return value === "" ? [] : [`- ${labelOf(widget)}: ${value}`];
  }
  if (checkBox) {
    const isTicked = fieldValue === exportValue && exportValue !== "";
    return [`- [${isTicked ? "x" : " "}] ${labelOf(widget)}`];
  }
  const isChosen = radioButton && fieldValue === buttonValue && buttonValue !== "";
  return isChosen ? [`- ${labelOf(widget)}: ${oneLine(buttonValue)}`] : [];
}

/** A choice is shown by its words, and sent by others. */
function valuesOf({ fieldType, fieldValue, options }: Widget): readonly string[] {
  const values = typeof fieldValue === "string" ? [fieldValue] : fieldValue ?? [];
  if (fieldType !== "Ch") return values;
  return values.map((value) =>
    options.find(({ exportValue }) => exportValue === value)?.displayValue || value
  );
}

/** The words that a person is shown for it, else the last part of its name. */
const labelOf = ({ alternativeText, fieldName }: Widget): string =>
  oneLine(alternativeText.trim() || fieldName.split(".").at(-1) || "field").slice(0, MAX_LABEL);

const oneLine = (value: string): string => value.split(/\s+/).filter(Boolean).join(" ");
