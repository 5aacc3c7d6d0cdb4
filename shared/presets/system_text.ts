/** The text of a request that instructs the model, which every API has in a place of its own. */

import { isRecord } from "../util/json.ts";
import type { Fields, PresetApi } from "./places.ts";

interface SystemPlace {
  /** Field that has the text alone. */
  readonly field?: string;
  /** List whose messages of some roles have it too. */
  readonly list: string;
  readonly roles: ReadonlySet<unknown>;
}

const instructing = new Set(["system", "developer"]);

const places: { readonly [A in PresetApi]: SystemPlace } = {
  chat: { list: "messages", roles: instructing },
  responses: { field: "instructions", list: "input", roles: instructing },
  messages: { field: "system", list: "messages", roles: new Set(["system"]) },
};

/** The text; empty where a place of it is, undefined where the body has none. */
export function systemTextOf(api: PresetApi, body: Fields): string | undefined {
  const { field, list, roles } = places[api];
  const own = field === undefined ? undefined : body[field] ?? undefined;
  const items = body[list];
  const instructions = Array.isArray(items)
    ? items.filter((item) => isRecord(item) && roles.has(item.role))
    : [];
  const texts = [...(own === undefined ? [] : [own]), ...instructions.map(({ content }) => content)];
  return texts.length === 0 ? undefined : texts.map(textOf).filter((text) => text !== "").join("\n\n");
}

/** Stands for what somebody says in a conversation. */
const said = { role: "user", content: "-" };

/**
 * The list of a body's messages with those that instruct the model alone, each at its place: so the body is judged as
 * that of any request.
 */
export function withoutConversation(api: PresetApi, body: Fields): Fields {
  const { list, roles } = places[api];
  const items = body[list];
  const kept = Array.isArray(items)
    ? items.map((item) => isRecord(item) && roles.has(item.role) ? item : said)
    : [];
  return { [list]: [...kept, said] };
}

/** Texts of a content: itself, or those of its parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.flatMap((part) => isRecord(part) && typeof part.text === "string" ? [part.text] : []);
  return texts.join("\n\n");
}

/** A body that has none with the text. One that cannot have messages stays as it is, to be refused. */
export function withSystemText(
  api: PresetApi,
  { body, text }: { readonly body: Fields; readonly text: string },
): Fields {
  const { field, list } = places[api];
  if (field !== undefined) return { ...body, [field]: text };
  const items = body[list];
  return Array.isArray(items) ? { ...body, [list]: [{ role: "system", content: text }, ...items] } : body;
}
