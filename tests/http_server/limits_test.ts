/** How long the server waits for its clients. */

import assert from "node:assert/strict";
import { StreamedReply } from "../../server/http/http_server/reply.ts";
import { turns } from "../support/clock.ts";
import { type FrontRigOptions, type RawClient, withFront } from "../support/http_server_rig.ts";
import { pause, until } from "../support/until.ts";

const SECOND = 1_000;
const head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const hello: FrontRigOptions = { answer: () => new Response("[hello]") };

/** Nothing has come that would be on its way already. */
async function isOpen(client: RawClient): Promise<boolean> {
  await pause(10);
  return client.end === "";
}

Deno.test("a session answers 408 to a head that is not complete 30 s after its first byte", () =>
  withFront(hello, async ({ connect, clock }) => {
    for (const before of ["", head]) {
      const client = await connect();
      await client.send(before);
      if (before !== "") await client.hears("[hello]");
      client.heard = "";
      await clock.advanceOnce(turns, 9 * SECOND);
      for (let at = 0; at < 29; at++) {
        await client.send(head.charAt(at % 20));
        await clock.advanceOnce(turns, SECOND);
      }
      assert(await isOpen(client));
      await clock.advanceOnce(turns, 2 * SECOND + 1);
      await client.hears("HTTP/1.1 408 Request Timeout\r\n");
      await client.hears("not complete after 30 s");
      assert.match(client.heard, /\r\nconnection: close\r\n/);
      await client.send("\r\nHost: x\r\n\r\n", head);
      await client.rest();
      assert.equal(client.heard.split("HTTP/1.1 ").length, 2, "what comes too late is not answered");
    }
  }));

Deno.test("a session closes a connection without a byte for 10 s, and one between requests for 75 s", () =>
  withFront(hello, async ({ connect, clock }) => {
    const [never, once] = [await connect(), await connect()];
    await once.send(head);
    await once.hears("[hello]");
    await clock.advanceOnce(turns, 9 * SECOND);
    assert(await isOpen(never));
    await clock.advanceOnce(turns, 2 * SECOND + 1);
    assert.equal(await never.rest(), "");
    await clock.advanceOnce(turns, 62 * SECOND);
    assert(await isOpen(once));
    await clock.advanceOnce(turns, 4 * SECOND + 1);
    await once.rest();
  }));

Deno.test("a session leaves an answer all the time that it takes", () => {
  let go: (() => void) | undefined;
  const answer = async () => {
    await new Promise<void>((resolve) => go = resolve);
    return new Response("[late]");
  };
  return withFront({ answer }, async ({ connect, clock }) => {
    const client = await connect();
    await client.send(head);
    await clock.advanceOnce(() => go !== undefined, 600 * SECOND);
    go?.();
    await client.hears("[late]");
  });
});

const MEGABYTE = "x".repeat(1_000_000);

Deno.test("a session cuts off a client that takes nothing of its answer for 60 s", () =>
  withFront({ answer: () => new Response(MEGABYTE.repeat(20)) }, async ({ connect, clock, failures }) => {
    const client = await connect();
    client.pause();
    await client.send(head);
    await pause(50);
    await clock.advanceOnce(turns, 59 * SECOND);
    await clock.advanceOnce(turns, 2 * SECOND + 1);
    client.resume();
    assert((await client.rest()).length < 20_000_000);
    assert.deepEqual(failures, []);
  }));

Deno.test("a session leaves a slow client the time that it takes", () =>
  withFront({ answer: () => new Response(MEGABYTE.repeat(30)) }, async ({ connect, clock }) => {
    const client = await connect();
    client.pause();
    await client.send(head);
    for (let at = 0; at < 6; at++) {
      await pause(30);
      await clock.advanceOnce(turns, 50 * SECOND);
      const before = client.heard.length;
      client.resume();
      // How much comes before it pauses again is the system's affair; the last time it may be less.
      await until(() => client.heard.length > Math.min(before + 2_000_000, 30_000_000));
      client.pause();
    }
    client.resume();
    await until(() => client.heard.length > 30_000_000);
  }));

Deno.test("a session leaves a stream all the time between two pieces", () => {
  let go = () => {};
  const answer = () =>
    new StreamedReply(
      new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          await new Promise<void>((resolve) => go = resolve);
          controller.enqueue(new TextEncoder().encode("piece"));
        },
      }, { highWaterMark: 0 }),
      { status: 200 },
    );
  return withFront({ answer }, async ({ connect, clock }) => {
    const client = await connect();
    await client.send(head);
    for (let at = 1; at <= 3; at++) {
      await clock.advanceOnce(turns, 300 * SECOND);
      go();
      await until(() => client.heard.split("piece").length === at + 1);
    }
    client.close();
    go();
  });
});

Deno.test("a session cuts off a stream of which nothing is taken for 60 s, and pulls no more of it", () => {
  let pulled = 0;
  let cancelled = false;
  const chunk = new Uint8Array(64 * 1024);
  const answer = () =>
    new StreamedReply(
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled++;
          controller.enqueue(chunk);
        },
        cancel: () => void (cancelled = true),
      }, { highWaterMark: 0 }),
      { status: 200 },
    );
  return withFront({ answer }, async ({ connect, clock }) => {
    const client = await connect();
    client.pause();
    await client.send(head);
    await pause(100);
    const before = pulled;
    await pause(50);
    assert.equal(pulled, before, "what nobody takes is not asked for (S6)");
    await clock.advanceOnce(turns, 59 * SECOND);
    assert.equal(cancelled, false);
    await clock.advanceOnce(turns, 2 * SECOND + 1);
    await until(() => cancelled, { what: "that the stream is let go of" });
    client.resume();
    await client.rest();
  });
});

Deno.test("a session waits two seconds for the end of one who was told to go", () =>
  withFront(hello, async ({ connect, clock }) => {
    const client = await connect();
    await client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await client.rest();
    // It has been told the end, and does not end its own half.
    await client.send("x".repeat(10_000));
    await clock.advanceOnce(turns, 4 * SECOND);
    await until(() => clock.open === 0, { what: "that the connection is given back" });
  }));

Deno.test("a front serves others beside one who sends without end", () =>
  withFront(hello, async ({ connect }) => {
    const greedy = await connect();
    let going = true;
    const pouring = (async () => {
      while (going && greedy.end === "") await greedy.send(head.repeat(500));
    })();
    for (let at = 0; at < 5; at++) {
      const other = await connect();
      await other.send(head);
      await other.hears("[hello]");
    }
    going = false;
    greedy.close();
    await pouring;
  }));
