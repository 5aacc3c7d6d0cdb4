/** Renders the format of the answer, for `response_format`. */

import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { OutputFormat } from "../../canonical/request.ts";

export function renderFormat(format: OutputFormat): JsonObject | undefined {
  switch (format.type) {
    case "text":
      return undefined;
    case "json_object":
      return { type: "json_object" };
    case "json_schema":
      return schemaBody(format);
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
