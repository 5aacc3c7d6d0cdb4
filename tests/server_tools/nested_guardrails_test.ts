/**
 * Content filters in nested runs, over tools, wires, APIs and forms: what the inner model is asked, what the outer one is
 * told, what the client is shown and what the receipt says, wherever the text comes from.
 */

import assert from "node:assert/strict";
import type { Planned } from "../mocks/plan.ts";
import type { Json } from "../mocks/published.ts";
import { receiptOf } from "../money/rig.ts";
import { answerOf } from "./answered_turn.ts";
import {
  guardedKey,
  type NestedCase,
  nestedCases,
  nestedKind,
  type NestedKindName,
  nestedKinds,
} from "./nested_kinds.ts";
import { bodyFor } from "./nested_rig.ts";
import {
  calls,
  eventsOf,
  type MockedWire,
  says,
  send,
  type Sent,
  type ToolRig,
  upstreamWires,
  withTools,
} from "./rig.ts";

const WORD = "mail-planted-box";
const actions = ["block", "redact", "mask", "flag"] as const;
type Action = typeof actions[number];
/** Party that brings the word: the client, the outer model that calls the tool, the inner model. */
const places = ["input", "question", "answer"] as const;
type Place = typeof places[number];

/** The word in each of its forms, as often as one stands there. */
const formsIn = (text: string): readonly string[] => text.match(/mail-[a-z]+-box|\[BOX(?:_\d+)?\]/g) ?? [];
const onlyForm = (text: string): string => [...new Set(formsIn(text))].join();
const formIn = (body: Json): string => formsIn(JSON.stringify(body)).at(-1) ?? "nothing";

/** One form that inner models, the outer one in its last turn and the client see; "": the word in none. */
interface Seen {
  readonly inner: string;
  readonly outer: string;
  readonly client: string;
  /** Sides on the receipt. */
  readonly sides: readonly string[];
}

const row = (inner: string, outer: string, { client, sides }: Pick<Seen, "client" | "sides">): Seen => ({
  inner,
  outer,
  client,
  sides,
});

const all = ["input", "output", "tools"];

const seenBy: { readonly [P in Place]: { readonly [A in Action]: Seen } } = {
  input: {
    block: row("", "", { client: "", sides: ["input"] }),
    redact: row("[BOX]", "[BOX]", { client: "[BOX]", sides: ["input"] }),
    mask: row("[BOX_1]", "[BOX_1]", { client: WORD, sides: ["input"] }),
    flag: row(WORD, WORD, { client: WORD, sides: all }),
  },
  question: {
    block: row("", "", { client: "", sides: ["output"] }),
    redact: row("[BOX]", "[BOX]", { client: "[BOX]", sides: ["output"] }),
    mask: row("[BOX_1]", "[BOX_1]", { client: WORD, sides: ["input", "tools"] }),
    flag: row(WORD, WORD, { client: WORD, sides: all }),
  },
  answer: {
    block: row("", "", { client: "", sides: ["output"] }),
    redact: row("", "[BOX]", { client: "[BOX]", sides: ["output"] }),
    mask: row("", "[BOX_1]", { client: WORD, sides: ["tools"] }),
    flag: row("", WORD, { client: WORD, sides: ["output", "tools"] }),
  },
};

/** The analyst of fusion is asked about the answers. */
function expectedOf({ kind, place, action }: Guarded): Seen {
  const seen = seenBy[place][action];
  if (kind !== "fusion" || place !== "answer" || action === "block") return seen;
  const sides = action === "redact" ? seen.sides : [...new Set(["input", ...seen.sides])];
  return { ...seen, inner: seen.outer, sides };
}

interface Case extends NestedCase {
  readonly kind: NestedKindName;
  readonly wire: MockedWire;
  readonly place: Place;
}

/** Outer and inner models are of one wire, and inner ones have no tools. */
function planRun(
  { plan }: ToolRig,
  { kind, place }: Case,
): { readonly inner: Json[]; readonly outer: Json[] } {
  const asked: { readonly inner: Json[]; readonly outer: Json[] } = { inner: [], outer: [] };
  plan((_turn, body): readonly Planned[] => {
    const text = JSON.stringify(body);
    if (!text.includes(`"${kind}"`)) {
      asked.inner.push(body);
      const said = place === "answer" ? WORD : formIn(body);
      return [says(text.includes("Several models") ? JSON.stringify({ consensus: [said] }) : `Ask ${said}.`)];
    }
    const turn = asked.outer.push(body);
    const word = place === "question" ? WORD : formIn(body);
    return turn === 1
      ? [calls(kind, { args: nestedKind(kind).args(`Write to ${word}?`) })]
      : [says(`Done: ${formIn(body)}.`)];
  });
  return asked;
}

/** All that a client reads, deltas of one item put together. */
function readText(sent: Sent, { api, stream }: Case): string {
  if (sent.status !== 200) return sent.text;
  const deltas = stream && api === "responses"
    ? eventsOf(sent).map(({ delta }) => typeof delta === "string" ? delta : "").join("")
    : "";
  return JSON.stringify(answerOf(sent, { api, stream })) + deltas;
}

interface Guarded extends Case {
  readonly action: Action;
  /** Under a guardrail with the filter. */
  readonly key: string;
}

async function checkRun(rig: ToolRig, one: Guarded): Promise<void> {
  const { kind, wire, place, api, stream, action, key } = one;
  const asked = planRun(rig, one);
  const model = `mock/${wire}`;
  const text = place === "input" ? `Do it for ${WORD}.` : "Do it.";
  const body = bodyFor(api, {
    model,
    stream,
    tools: [nestedKind(kind).tool(model, kind === "advisor" ? { stream: true } : {})],
    [api === "responses" ? "input" : "messages"]: [{ role: "user", content: text }],
  });
  const sent = await send(rig.gateway, { api, key, body });
  const { guardrails = [] } = await receiptOf(rig.gateway, sent);
  assert.deepEqual(
    {
      inner: onlyForm(JSON.stringify(asked.inner)),
      outer: onlyForm(JSON.stringify(asked.outer.at(-1) ?? {})),
      client: onlyForm(readText(sent, one)),
      sides: [...new Set(guardrails.map(({ side }) => side))].toSorted(),
    },
    expectedOf(one),
    `${api} on ${wire}, ${place}, streamed: ${stream}`,
  );
  const words = { block: "blocked", redact: "redacted", mask: "masked", flag: "flagged" } as const;
  assert(guardrails.every((one) => one.action === words[action] && one.label === "BOX"));
  if (action !== "block") return;
  const isRefused = place !== "answer";
  assert.equal(sent.status, isRefused ? 403 : 200);
  assert.deepEqual(
    [asked.outer.length, asked.inner.length],
    { input: [0, 0], question: [1, 0], answer: [2, 1] }[place],
  );
}

const cases: readonly Pick<Case, "wire" | "api" | "stream">[] = [
  ...upstreamWires.flatMap((wire) =>
    [false, true].map((stream) => ({ wire, stream, api: "responses" as const }))
  ),
  ...nestedCases.filter(({ api }) => api !== "responses").map((one) => ({
    ...one,
    wire: "messages" as const,
  })),
];

for (const action of actions) {
  for (const kind of nestedKinds) {
    Deno.test(`a filter that says ${action} holds in runs of ${kind}, on each wire and API`, async () => {
      await withTools({}, async (rig) => {
        const filters = [{ pattern: "mail-[a-z]+-box", action, label: "BOX" }];
        const key = await guardedKey(rig.gateway, { content_filters: filters });
        for (const place of places) {
          // Nothing is asked of a panel but what the client asks.
          if (kind === "fusion" && place === "question") continue;
          for (const one of cases) await checkRun(rig, { ...one, kind, place, action, key });
        }
      });
    });
  }
}
