/** What the answer looks like: held to a schema where the server takes one, asked for in words where it does not. */

import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../canonical/item.ts";
import type { OutputFormat } from "../../../canonical/request.ts";
import type { Dialect } from "../../wire.ts";

export interface RenderedFormat {
  /** For `response_format`. */
  readonly body?: JsonObject;
  /** Stands in for what `response_format` cannot say; servers with a JSON mode ask for the word JSON in it. */
  readonly instruction?: string;
  readonly dropped: readonly string[];
}

const jsonObject = { type: "json_object" };

export function renderFormat(format: OutputFormat, dialect: Dialect | undefined): RenderedFormat {
  switch (format.type) {
    case "text":
      return { dropped: [] };
    case "json_object":
      return { body: jsonObject, dropped: [] };
    case "json_schema":
      return dialect?.jsonSchema === false
        ? schemaInstruction(format)
        : { body: schemaBody(format), dropped: [] };
    default:
      return format satisfies never;
  }
}

type SchemaFormat = Extract<OutputFormat, { type: "json_schema" }>;

function schemaBody({ name, description, schema, strict }: SchemaFormat): JsonObject {
  return {
    type: "json_schema",
    json_schema: omitUndefined({ name, description, schema, strict }),
  };
}

function schemaInstruction({ schema, description }: SchemaFormat): RenderedFormat {
  const about = description === undefined ? "" : ` (${description})`;
  const instruction =
    `Answer with one JSON object${about} and nothing else. It must match this JSON schema:\n` +
    JSON.stringify(schema);
  return { body: jsonObject, instruction, dropped: ["text.format json_schema as a constraint"] };
}
