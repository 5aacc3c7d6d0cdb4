/** Every place of a response in which a text may stand is read, or says why not: made from the schemas themselves. */

import assert from "node:assert/strict";
import { streamEvent } from "../../../shared/responses/events.ts";
import { outputItem } from "../../../shared/responses/output_items.ts";
import { asObject, type Json } from "../../support/event_stream.ts";
import { type ApiName, apiNames, apis } from "../../money/rig.ts";
import { guardedBy } from "../guarded.ts";
import { sayEvents, sayItem } from "./provider_events.ts";
import { placesIn } from "./schema_places.ts";
import { opaqueOutputs, unreadOutputs } from "./unread_places.ts";

/** It has the form of an id, which ids and words of an API may have. */
const secret = "id-4711-x";
/** It has not. */
const text = `is ${secret}`;
const filter = (action: string) => ({
  content_filters: [{ pattern: "id-\\d{4}-[a-z]", action, label: "ID" }],
});
const isListed = (path: string, places = [...opaqueOutputs, ...unreadOutputs]) =>
  places.some(([place]) => place.test(path));

interface Said {
  readonly path: string;
  readonly say: (stream: boolean) => Response;
  readonly streams: readonly boolean[];
}

const itemsWith = (planted: string): readonly Said[] =>
  placesIn(outputItem).map(({ path, build }) => ({
    path,
    say: (stream) => sayItem(asObject(build(planted)), stream),
    streams: [false, true],
  }));
const items = itemsWith(secret);

/** Events in which the gateway speaks itself, and those that repeat the items. */
const own = /^<response\.(created|debug|output_item\.added)>|^<error>/;

const events: readonly Said[] = placesIn(streamEvent).filter(({ path }) => !own.test(path)).flatMap(
  ({ path, build }) => {
    const event = asObject(build(secret));
    const cuts = path.endsWith(".delta")
      ? Array.from({ length: secret.length - 1 }, (_, cut) => cut + 1)
      : [];
    const pieces = (cut: number): readonly Json[] => [
      { ...event, delta: secret.slice(0, cut) },
      { ...event, delta: secret.slice(cut) },
    ];
    return [[event], ...cuts.map(pieces)].map((said): Said => ({
      path,
      say: () => sayEvents(said),
      streams: [true],
    }));
  },
);

interface RequestedForm {
  readonly api: ApiName;
  readonly stream: boolean;
}

/** The body of the reply, as text. */
async function ask(
  { gateway, key }: Awaited<ReturnType<typeof guardedBy>>,
  { api, stream }: RequestedForm,
): Promise<string> {
  const { path, body } = apis[api];
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", stream, ...body({}) }),
  });
  return await response.text();
}

/** The places of which a text reaches the client. */
async function unreadOf(places: readonly Said[]): Promise<ReadonlySet<string>> {
  let said: Said["say"] = () => sayItem({}, false);
  await using rig = await guardedBy("responses", ({ body }) => said(body.stream === true), filter("redact"));
  const unread = new Set<string>();
  for (const { path, say, streams } of places) {
    said = say;
    for (const api of apiNames) {
      for (const stream of streams) {
        const raw = await ask(rig, { api, stream });
        if (raw.includes(secret)) unread.add(path);
      }
    }
  }
  return unread;
}

function assertListed(unread: ReadonlySet<string>, places: typeof unreadOutputs): void {
  assert.deepEqual([...unread].filter((path) => !isListed(path, [...places])), []);
  assert.deepEqual(places.filter(([place]) => ![...unread].some((path) => place.test(path))), []);
}

Deno.test("every place of a response is replaced, on every API, whole and streamed", async () => {
  assert.ok(items.length > 150 && events.length > 100, `${items.length} ${events.length}`);
  assertListed(await unreadOf([...items, ...events]), [...opaqueOutputs, ...unreadOutputs]);
});

Deno.test("where ids and words of an API may stand in an item, any other text is replaced", async () => {
  assertListed(await unreadOf(itemsWith(text)), unreadOutputs);
});

Deno.test("every place of a response that is replaced is blocked too, before any of it has left", async () => {
  let said: Said["say"] = () => sayItem({}, false);
  await using rig = await guardedBy("responses", ({ body }) => said(body.stream === true), filter("block"));
  for (const { path, say, streams } of [...items, ...events].filter(({ path }) => !isListed(path))) {
    said = say;
    for (const stream of streams) {
      const raw = await ask(rig, { api: "responses", stream });
      assert.ok(!raw.includes(secret), `${path} ${stream} ${raw}`);
    }
  }
});
