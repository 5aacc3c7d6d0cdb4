/** Why a tool of a request does not reach the model: told to the client and in the log. */

import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { ModelRequest, Tool } from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { callsTools } from "./offered_tools.ts";
import { definitionOf } from "./tool_plan.ts";

interface LeftOutTool {
  /** By which lines of the log are counted: one of the gateway's own words. */
  readonly kind: string;
  /** A sentence or two in ASCII, as headers need it. */
  readonly note: string;
}

interface LeftOutInput {
  readonly request: ModelRequest;
  readonly endpoint: Endpoint;
  /** Parameters that were left out of the call, in the wire's words. */
  readonly dropped: readonly string[];
  /** Kinds of server tools that the gateway runs for the request. */
  readonly planned: ReadonlySet<string>;
}

/** Server tools and providers' tools that a call leaves out; of functions, those of a wire are always told. */
export function leftOutTools(
  { request: { tools }, endpoint, dropped, planned }: LeftOutInput,
): readonly LeftOutTool[] {
  return tools.flatMap((tool) => {
    const name = spelled(tool);
    if (name === undefined || !dropped.includes(`tool ${name}`)) return [];
    const definition = definitionOf(tool);
    const kind = definition?.kind ?? "other";
    const shown = /^[\w:.-]{1,64}$/.test(name) ? name : "A tool";
    const say = (why: string): readonly LeftOutTool[] => [{ kind, note: `${shown} is left out: ${why}` }];
    if (definition === undefined || definition.isOfProvider?.(settingsOf(tool)) === true) {
      return say("neither this gateway nor the model's provider runs it.");
    }
    if (!callsTools(endpoint)) return say("the model takes no tools.");
    // The gateway runs the first of its kind.
    if (planned.has(definition.kind)) return [];
    return say(`this gateway has no engine for it. ${definition.switchOn ?? ""}`.trimEnd());
  });
}

const settingsOf = (tool: Tool): JsonObject =>
  tool.type === "server" ? tool.parameters : tool.type === "hosted" ? tool.value : {};

function spelled(tool: Tool): string | undefined {
  if (tool.type === "server") return tool.originalType;
  return tool.type === "hosted" ? tool.kind : undefined;
}
