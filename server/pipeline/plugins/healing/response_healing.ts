/** Plugin `response-healing`: JSON that a model has written with faults becomes the JSON that it meant, or stays as it is. */

import type { OutputFormat } from "../../../protocols/canonical/request.ts";
import type { PluginDefinition } from "../plugin.ts";
import { pluginNote } from "../plugin_note.ts";
import type { PluginOptions } from "../plugin_use.ts";
import { HealedSource } from "./healed_source.ts";

const id = "response-healing";
const noJson = "acts on answers in JSON only, and the request does not ask for one";

export const responseHealing: PluginDefinition<PluginOptions<typeof id>> = {
  stage: (_, { clock }) => (next) => async (context) => {
    const { record, request: { format } } = context;
    if (format.type === "text") {
      record.addNote(pluginNote(id, noJson));
      return await next(context);
    }
    const { source, endpoint } = await next(context);
    return { endpoint, source: new HealedSource(source, { format, record, clock }) };
  },
  explain: (_, { request: { format } }) => explanations[format.type],
};

const explanations: Readonly<Record<OutputFormat["type"], string>> = {
  text: `do nothing: it ${noJson}`,
  json_object: "hold back the answer, and heal its JSON to an object where it is clear what was meant",
  json_schema:
    "hold back the answer, and heal its JSON where it is clear what was meant and satisfies the schema",
};
