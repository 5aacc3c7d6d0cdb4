/** Default answer of a simulated model: something made from the request, always the same. */

import type { Plan, Planned } from "./plan.ts";
import { isObject, type Json, objects } from "./published.ts";

/** A request of either wire, reduced to what the script looks at. */
export interface Requested {
  /** Text that the user sent last. */
  readonly said: string;
  /** Result of a tool, when that is the last thing in the conversation. */
  readonly toolResult?: string;
  /** The tool that has to be called, with its schema. */
  readonly call?: Pick<Extract<Planned, { type: "call" }>, "kind" | "name" | "namespace"> & {
    readonly schema?: Json;
  };
  /** A JSON schema that the text must satisfy. */
  readonly schema?: Json;
  readonly reasons: boolean;
  /** Its thoughts are shown in plain text, in summaries, as an encrypted text. */
  readonly thinksAloud: boolean;
  readonly summarises: boolean;
  readonly encrypts: boolean;
  /** Tokens. */
  readonly cap?: number;
  /** Length of the request's body, for the count of its tokens. */
  readonly size: number;
}

const CHARS_PER_TOKEN = 4;
const tokensIn = (text: string) => Math.ceil(text.length / CHARS_PER_TOKEN);

/** The answer. Four characters are a token; the cap cuts the text, as it would at a provider. */
export function scripted(requested: Requested): Plan {
  const thoughts: readonly Planned[] = requested.reasons
    ? [{
      type: "reasoning",
      thoughts: requested.thinksAloud ? "Thinking it over." : "",
      summary: requested.summarises ? ["**Thinking it over**"] : [],
      encrypted: requested.encrypts ? "gAAAAAB-cipher" : undefined,
    }]
    : [];
  const reasoning = thoughts.length * 16;
  const [answer, finish] = cut(answerTo(requested), requested.cap);
  const output = reasoning + tokensIn(answer.type === "call" ? answer.arguments : wordsOf(answer));
  const counts = { input: Math.ceil(requested.size / CHARS_PER_TOKEN), output, cached: 0, reasoning };
  return { items: [...thoughts, answer], finish, counts, pieces: [3, 5, 8] };
}

const wordsOf = (item: Planned) => item.type === "text" || item.type === "refusal" ? item.text : "";

function answerTo({ call, schema, said: received, toolResult }: Requested): Planned {
  if (toolResult !== undefined) return { type: "text", text: `The tool said: ${toolResult}` };
  if (call !== undefined) {
    const { schema: parameters, ...named } = call;
    const text = named.kind === "custom" ? "free text" : JSON.stringify(instanceOf(parameters ?? {}));
    return { type: "call", ...named, callId: `call_${named.name}`, arguments: text };
  }
  if (schema !== undefined) return { type: "text", text: JSON.stringify(instanceOf(schema)) };
  if (/\brefuse\b/i.test(received)) return { type: "refusal", text: "I cannot help with that." };
  return { type: "text", text: `You said: ${received}` };
}

function cut(answer: Planned, cap: number | undefined): readonly [Planned, Plan["finish"]] {
  if (cap === undefined || answer.type !== "text" || tokensIn(answer.text) <= cap) return [answer, "stop"];
  return [{ ...answer, text: answer.text.slice(0, cap * CHARS_PER_TOKEN) }, "length"];
}

/** The plainest value that a JSON schema allows; enough for the schemas of tests. */
export function instanceOf(schema: Json): unknown {
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [choice] = objects(schema.anyOf ?? schema.oneOf);
  if (choice !== undefined) return instanceOf(choice);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "array") return isObject(schema.items) ? [instanceOf(schema.items)] : [];
  if (type === "object" || isObject(schema.properties)) return objectOf(schema);
  return plainest[String(type)] ?? "text";
}

const plainest: Readonly<Record<string, unknown>> = { integer: 1, number: 1.5, boolean: true, null: null };

function objectOf({ properties }: Json): Json {
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, isObject(schema) ? instanceOf(schema) : null]),
  );
}
