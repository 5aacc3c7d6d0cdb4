import assert from "node:assert/strict";
import { modelRequest } from "../../../tests/support/requests.ts";
import { EMBEDDINGS } from "../canonical/embeddings.ts";
import type { Item } from "../canonical/item.ts";
import type { ModelEvent } from "../canonical/event.ts";
import type { ModelRequest } from "../canonical/request.ts";
import { unreadableAnswer } from "../common/outbound/failures.ts";
import { parseGeminiEmbeddings } from "./gemini.ts";
import { parseEmbeddings } from "./openai.ts";

interface Answered {
  readonly index?: unknown;
  readonly values: unknown;
}

const openaiBody = (answered: readonly Answered[]) => ({
  data: answered.map(({ index, values }) => ({ index, embedding: values })),
});

/** Each wire's answer with these vectors, read for a request. */
const wires: Readonly<
  Record<string, (answered: readonly Answered[], request: ModelRequest) => readonly ModelEvent[]>
> = {
  chat: (answered, request) => parseEmbeddings("chat")(openaiBody(answered), request),
  responses: (answered, request) => parseEmbeddings("responses")(openaiBody(answered), request),
  gemini: (answered, request) =>
    parseGeminiEmbeddings({ embeddings: answered.map(({ values }) => ({ values })) }, request),
};

const textItem = (text: string): Item => ({ type: "message", role: "user", parts: [{ type: "text", text }] });
const requestFor = (texts: number, dimensions?: number) =>
  modelRequest({
    input: Array.from({ length: texts }, (_, at) => textItem(`Text ${at}`)),
    embeddings: { dimensions },
  });

const plain = (...vectors: readonly unknown[]) => vectors.map((values) => ({ values }));
const indexed = (...indices: readonly unknown[]) => indices.map((index) => ({ index, values: [1, 0] }));
const long = (length: number) => Array.from({ length }, () => 0.5);

interface Fault {
  readonly answered: readonly Answered[];
  readonly dimensions?: number;
  /** Gemini's answers have no indices. */
  readonly hasIndices?: true;
}

/** Answers to two texts. */
const faults: Readonly<Record<string, Fault>> = {
  "no vector": { answered: [] },
  "too few vectors": { answered: plain([1, 0]) },
  "too many vectors": { answered: plain([1, 0], [1, 0], [1, 0]) },
  "empty vectors": { answered: plain([], []) },
  "a number beyond 32 bits": { answered: plain([1, 0], [1, 1e300]) },
  "a negative number beyond 32 bits": { answered: plain([1, -3.5e38], [1, 0]) },
  "a number without end": { answered: plain([1, Infinity], [1, 0]) },
  "no number": { answered: plain([1, NaN], [1, 0]) },
  "a text for a number": { answered: plain([1, "0"], [1, 0]) },
  "vectors of different lengths": { answered: plain([1, 0], [1]) },
  "another length than was asked for": { answered: plain([1, 0], [1, 0]), dimensions: 3 },
  "vectors that are too long": { answered: plain(long(65_537), long(65_537)) },
  "a doubled index": { answered: indexed(0, 0), hasIndices: true },
  "an index beyond the last": { answered: indexed(0, 2), hasIndices: true },
  "an index below zero": { answered: indexed(-1, 0), hasIndices: true },
  "indices from one": { answered: indexed(1, 2), hasIndices: true },
  "half an index": { answered: indexed(0.5, 1), hasIndices: true },
  "one index that is another's place": { answered: indexed(1, undefined), hasIndices: true },
};

for (const [wire, read] of Object.entries(wires)) {
  Deno.test(`an answer of ${wire} that cannot be vectors of the texts is unreadable`, () => {
    for (const [name, { answered, dimensions, hasIndices }] of Object.entries(faults)) {
      if (hasIndices && wire === "gemini") continue;
      const events = read(answered, requestFor(2, dimensions));
      assert.deepEqual(events, [{ type: "failure", failure: unreadableAnswer }], name);
    }
  });

  Deno.test(`an answer of ${wire} with vectors of the texts gives them in their order`, () => {
    const one = [0.5, -3.4e38];
    const other = [1e-300, 1];
    const swapped = [{ index: 1, values: other }, { index: 0, values: one }];
    const answers = [plain(one, other), ...(wire === "gemini" ? [] : [swapped])];
    for (const answered of answers) {
      for (const dimensions of [undefined, 2]) {
        const [, , done] = read(answered, requestFor(2, dimensions));
        const item = done?.type === "item_done" ? done.item : undefined;
        assert(item?.type === "foreign" && item.kind === EMBEDDINGS, JSON.stringify(done));
        assert.deepEqual(item.value.vectors, [one, other]);
      }
    }
    assert.equal(read(plain(long(65_536)), requestFor(1)).at(-1)?.type, "finish");
  });
}
