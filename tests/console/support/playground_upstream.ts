/** Providers behind the playground's stories: reasoning, tools, a source, and streams that the story holds. */

import {
  deltaFrame,
  endFrames,
  frame,
  openingFrames,
  type Requested,
  responseObject,
  type Script,
  sse,
} from "../../support/scripted.ts";
import { until } from "../../support/until.ts";

const usage = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 25,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 65,
};

interface Item {
  readonly [field: string]: unknown;
}

/** Frames of items that are complete as soon as they begin. */
function itemFrames(items: readonly Item[]): readonly string[] {
  return [
    frame({ type: "response.created", response: responseObject({ status: "in_progress", output: [] }) }),
    ...items.flatMap((item, output_index) => [
      frame({ type: "response.output_item.added", output_index, item }),
      frame({ type: "response.output_item.done", output_index, item }),
    ]),
    frame({ type: "response.completed", response: responseObject({ output: items, usage }) }),
  ];
}

const toolCall = (number: number, timezone: string): Item => ({
  type: "function_call",
  id: `fc_${number}`,
  call_id: `call_${number}`,
  name: "datetime",
  arguments: JSON.stringify({ timezone }),
  status: "completed",
});

const reasoning: Item = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Both clocks have to be read before any **comparison**." }],
  status: "completed",
};

/** Address of the source that the answer names. */
export const SOURCE = "https://clocks.example/rome-and-lima";

export const ANSWER = [
  "Rome is **six hours** ahead of Lima, as the clocks say.",
  "",
  "- Rome: evening",
  "- Lima: noon",
  "",
  "| city | offset |",
  "|---|---|",
  "| Rome | +1 |",
  "| Lima | -5 |",
  "",
  "```ts",
  "const hours = 6;",
  "```",
].join("\n");

/** Reasoning and two calls of the tool `datetime`, then an answer that names a source. */
export const clocks: Script = (_, number) => {
  if (number % 2 === 0) {
    return sse(itemFrames([reasoning, toolCall(1, "Europe/Rome"), toolCall(2, "America/Lima")]));
  }
  const end_index = ANSWER.indexOf(" as the clocks");
  const annotation = {
    type: "url_citation",
    url: SOURCE,
    title: "Clocks of the world",
    start_index: 0,
    end_index,
  };
  const part = { type: "output_text", text: ANSWER, annotations: [annotation], logprobs: [] };
  const message = { type: "message", id: "msg_up", role: "assistant", status: "completed", content: [part] };
  const place = { item_id: "msg_up", output_index: 0, content_index: 0 };
  const opened = openingFrames("responses");
  const deltas = ANSWER.match(/\s*\S+/g)?.map((word) => deltaFrame("responses", word)) ?? [];
  return sse([
    ...opened,
    ...deltas,
    frame({ type: "response.output_text.annotation.added", ...place, annotation_index: 0, annotation }),
    frame({ type: "response.output_item.done", output_index: 0, item: message }),
    frame({ type: "response.completed", response: responseObject({ output: [message], usage }) }),
  ]);
};

export interface HeldStream {
  readonly script: Script;
  /** Sends some more, once the gateway has asked. */
  readonly say: (text: string) => Promise<void>;
  /** Ends the answer as it should. */
  readonly end: () => Promise<void>;
  readonly requested: () => readonly Requested[];
}

/** An answer that goes on as the story says. */
export function heldStream(): HeldStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let said = "";
  const requested: Requested[] = [];
  const write = (frames: readonly string[]) => controller?.enqueue(new TextEncoder().encode(frames.join("")));
  return {
    script: (one) => {
      requested.push(one);
      said = "";
      const body = new ReadableStream<Uint8Array>({
        start(begun) {
          controller = begun;
          write(openingFrames("responses"));
        },
        cancel() {
          controller = undefined;
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
    say: async (text) => {
      await until(() => controller !== undefined, { what: "a request" });
      said += text;
      write([deltaFrame("responses", text)]);
    },
    end: async () => {
      await until(() => controller !== undefined, { what: "a request" });
      write(endFrames("responses", said));
      controller?.close();
      controller = undefined;
    },
    requested: () => requested,
  };
}
