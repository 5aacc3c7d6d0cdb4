/** Renders the format of the answer: held to a schema where the model can be, asked for in words where it cannot. */

import type { JsonObject } from "../../canonical/item.ts";
import type { OutputFormat } from "../../canonical/request.ts";
import type { ReportDropped } from "./render_parts.ts";
import { renderSchema } from "./render_schema.ts";
import type { ClaudeFamily } from "../../common/outbound/claude/claude_family.ts";

interface RenderedFormat {
  /** For `output_config`. */
  readonly format?: JsonObject;
  /** An instruction that stands in for it. */
  readonly instruction?: string;
}

interface FormatContext {
  readonly family: ClaudeFamily;
  readonly note: ReportDropped;
}

/**
 * No tool is made up to force the form of the answer: newer models take no forced call, a made-up call would
 * have to be told as text again, and every model since 2025 takes a schema.
 */
export function renderFormat(format: OutputFormat, context: FormatContext): RenderedFormat {
  switch (format.type) {
    case "text":
      return {};
    case "json_object":
      return { instruction: JSON_ONLY };
    case "json_schema":
      return renderSchemaFormat(format, context);
    default:
      return format satisfies never;
  }
}

const JSON_ONLY = "Answer with one JSON object and nothing else: no words around it, no code fence.";

type SchemaFormat = Extract<OutputFormat, { type: "json_schema" }>;

function renderSchemaFormat(format: SchemaFormat, { family, note }: FormatContext): RenderedFormat {
  const schema = withDescription(format);
  const clean = family.schemas ? renderSchema(schema) : undefined;
  if (clean !== undefined) return { format: { type: "json_schema", schema: clean } };
  note("text.format json_schema as a constraint");
  return { instruction: `${JSON_ONLY} It must match this JSON schema:\n${JSON.stringify(schema)}` };
}

function withDescription({ schema, description }: SchemaFormat): JsonObject {
  return description === undefined || schema.description !== undefined ? schema : { ...schema, description };
}
