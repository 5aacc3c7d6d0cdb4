/**
 * Tests the charge where a provider's counts are wrong: on every wire, whole, streamed, and when the client leaves.
 */

import assert from "node:assert/strict";
import type { Receipt } from "../../shared/receipts.ts";
import { type MockedWire, upstreams, upstreamWires } from "../mocks/upstreams.ts";
import { countedAnswer, type Manner, type StatedCounts } from "../support/counted_wires.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { scripted } from "../support/scripted.ts";
import { call, newestReceipt, pricedAt, receiptOf } from "./rig.ts";

/** Tokens of the prompt and of the answer. */
const INPUT = 100;
const OUTPUT = 200;
const prompt = " one".repeat(INPUT);
const answer = " two".repeat(OUTPUT);

interface Case {
  /** One after another in a stream, the last alone in a whole answer. */
  readonly counts: readonly StatedCounts[];
  /** With the first event of a stream. */
  readonly begun?: StatedCounts;
  /** Tokens that are charged: exactly where the provider counted them, else about. */
  readonly charged: readonly [input: number, output: number];
  readonly estimated: boolean;
  readonly streamsOnly?: true;
  /** The only wire whose beginning counts the input alone. */
  readonly wire?: MockedWire;
}

const cases: Readonly<Record<string, Case>> = {
  "true": { counts: [{ input: 100, output: 200 }], charged: [100, 200], estimated: false },
  "two fifths of the output": { counts: [{ input: 100, output: 80 }], charged: [100, 80], estimated: false },
  "less than a third": { counts: [{ input: 100, output: 60 }], charged: [100, OUTPUT], estimated: true },
  "one": { counts: [{ input: 100, output: 1 }], charged: [100, OUTPUT], estimated: true },
  "no output": { counts: [{ input: 100, output: 0 }], charged: [100, OUTPUT], estimated: true },
  "no input": { counts: [{ input: 0, output: 200 }], charged: [INPUT, 200], estimated: true },
  "nothing": { counts: [{ input: 0, output: 0 }], charged: [INPUT, OUTPUT], estimated: true },
  "missing": { counts: [], charged: [INPUT, OUTPUT], estimated: true },
  "null": {
    counts: [{ input: null, output: null, total: null }],
    charged: [INPUT, OUTPUT],
    estimated: true,
  },
  "the total alone": { counts: [{ total: 300 }], charged: [INPUT, OUTPUT], estimated: true },
  "falling": {
    counts: [{ input: 100, output: 200 }, { input: 7, output: 2 }],
    charged: [100, 200],
    estimated: false,
    streamsOnly: true,
  },
  "falling to nothing": {
    counts: [{ input: 100, output: 200 }, { input: 0, output: 0 }],
    charged: [100, 200],
    estimated: false,
    streamsOnly: true,
  },
  "zeros behind a beginning": {
    begun: { input: 100, output: 200 },
    counts: [{ input: 0, output: 0 }],
    charged: [100, 200],
    estimated: false,
    streamsOnly: true,
  },
  "no input behind a beginning": {
    begun: { input: 100, output: 1 },
    counts: [{ input: 0, output: 200 }],
    charged: [100, 200],
    estimated: false,
    streamsOnly: true,
  },
  "the input alone, then the output alone": {
    begun: { input: 100 },
    counts: [{ input: 0, output: 200 }],
    charged: [100, 200],
    estimated: false,
    streamsOnly: true,
    wire: "messages",
  },
  "one side falling": {
    counts: [{ input: 100, output: 150 }, { input: 7, output: 200 }],
    charged: [100, 200],
    estimated: false,
    streamsOnly: true,
  },
};

const manners: readonly Manner[] = ["streamed", "whole", "client left"];

interface Exchange {
  readonly gateway: Gateway;
  readonly manner: Manner;
}

async function receiptAfter({ gateway, manner }: Exchange): Promise<Receipt> {
  const leave = new AbortController();
  const response = await call(gateway, {
    key: gateway.apiKey,
    text: prompt,
    cap: 2_000,
    stream: manner !== "whole",
    signal: leave.signal,
  });
  if (manner !== "client left") {
    await response.text();
    return await receiptOf(gateway, response);
  }
  const reader = response.body?.getReader();
  let text = "";
  while (!text.includes("two")) text += new TextDecoder().decode((await reader?.read())?.value);
  leave.abort();
  reader?.read().catch(() => {
    // It is aborted above.
  });
  return await newestReceipt(gateway);
}

const price = { prompt: "0.000001", completion: "0.000002" };

async function charged(
  wire: MockedWire,
  { counts, begun, manner }: Pick<Case, "counts" | "begun"> & { readonly manner: Manner },
) {
  await using upstream = scripted(() => countedAnswer(wire, { text: answer, counts, begun, manner }));
  const model = {
    id: "mock/model",
    upstream_id: `${upstreams[wire].prefix}model`,
    max_output_tokens: 20_000,
    context_length: 200_000,
    pricing: price,
  };
  await using gateway = await startGateway({
    providers: [pricedAt(upstream.baseUrl, { wire, models: [model] })],
  });
  return await receiptAfter({ gateway, manner });
}

for (const wire of upstreamWires) {
  Deno.test(`counts that cannot be true are not believed, and never fall (${wire})`, async (t) => {
    for (
      const [name, { counts, begun, charged: tokens, estimated, streamsOnly, wire: only }] of Object.entries(
        cases,
      )
    ) {
      for (const manner of manners) {
        if ((manner === "whole" && streamsOnly === true) || (only ?? wire) !== wire) continue;
        await t.step(`${name}, ${manner}`, async () => {
          const receipt = await charged(wire, { counts, begun, manner });
          const [input, output] = tokens;
          const due = input * 1_000 + output * 2_000;
          const seen = `${receipt.cost} of ${due}`;
          assert.equal(receipt.estimated, estimated, seen);
          if (!estimated) return assert.equal(receipt.cost, due);
          assert(receipt.cost >= 0.9 * due && receipt.cost <= 1.15 * due, seen);
        });
      }
    }
  });
}
