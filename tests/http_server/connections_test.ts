/** Tests the life of a connection: requests one after another, its end, disconnect, and the stop of the server. */

import assert from "node:assert/strict";
import type { ClientRequest } from "../../server/http/http_server/incoming_request.ts";
import { StreamedReply } from "../../server/http/http_server/reply.ts";
import { turns } from "../support/clock.ts";
import { type FrontRigOptions, withFront } from "../support/http_server_rig.ts";
import { pause, until } from "../support/until.ts";

const get = (path: string, fields = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const pathOf = ({ url }: ClientRequest) => new URL(url).pathname;
const echo: FrontRigOptions = {
  answer: async (request) => new Response(`[${pathOf(request)} ${await request.text()}]`),
};

/** Answers wait until they are let go, in the order of the requests. */
function held() {
  const gone: string[] = [];
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const answer = async (request: ClientRequest) => {
    await request.text();
    begun.push(pathOf(request));
    if ("onDisconnect" in request) request.onDisconnect(() => gone.push(pathOf(request)));
    await new Promise<void>((resolve) => waiting.push(resolve));
    return new Response(`[${pathOf(request)}]`);
  };
  return { answer, gone, begun, go: () => waiting.shift()?.() };
}

Deno.test("a session answers what is pipelined in its order, one at a time", () => {
  const { answer, begun, go } = held();
  return withFront({ answer }, async ({ connect }) => {
    const client = await connect();
    await client.send(get("/1") + post("/2", "abc") + get("/3"), get("/4"));
    for (let at = 1; at <= 4; at++) {
      await until(() => begun.length === at);
      await pause(5);
      assert.equal(begun.length, at, "the next one waits");
      go();
      await client.hears(`[/${at}]`);
    }
  });
});

Deno.test("a session never takes a body for a request, nor a request for a body", () =>
  withFront(echo, async ({ connect }) => {
    const client = await connect();
    const inner = get("/inner");
    const chunks = `POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n` +
      `${inner.length.toString(16)};a=b\r\n${inner}\r\n0\r\nX-Trailer: y\r\n\r\n`;
    const all = post("/a", inner) + chunks + post("/b", "") + get("/d");
    for (const size of [all.length, 1, 7, 100]) {
      client.heard = "";
      for (let at = 0; at < all.length; at += size) await client.send(all.slice(at, at + size));
      await client.hears("[/d ]");
      const answers = [...client.heard.matchAll(/\[\/(.) /g)].map(([, path]) => path);
      assert.deepEqual(answers, ["a", "c", "b", "d"]);
    }
  }));

const lasting: Readonly<Record<string, readonly [request: string, stays: boolean]>> = {
  "1.1": ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", true],
  "1.1 that asks for the end": [get("/", "Connection: foo, Close\r\n"), false],
  "1.0": ["GET / HTTP/1.0\r\n\r\n", false],
  "1.0 that asks to go on": ["GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true],
  "an unread body that is here": [post("/unread", "abc"), true],
  "an unread body that is not here": [post("/unread", "abc").slice(0, -1), false],
};

for (const [what, [request, stays]] of Object.entries(lasting)) {
  Deno.test(`a session ${stays ? "goes on" : "ends"} behind ${what}`, () =>
    withFront({ answer: () => new Response("[answer]") }, async ({ connect }) => {
      const client = await connect();
      await client.send(request);
      await client.hears("[answer]");
      assert.equal(/\r\nconnection: close\r\n/.test(client.heard), !stays);
      if (!stays) return void await client.rest();
      await client.send(get("/"));
      await client.hears(/\[answer\][^]*\[answer\]/);
    }));
}

Deno.test("a session lets a client read its refusal whatever it still sends", () =>
  withFront({ answer: () => new Response("[refused]", { status: 413 }) }, async ({ connect }) => {
    const client = await connect();
    const body = "x".repeat(4_000_000);
    await client.send(post("/", body));
    await client.hears("[refused]");
    assert.equal(client.end === "reset", false);
    assert.match(client.heard, /\r\nconnection: close\r\n/);
  }));

Deno.test("a session tells to go on with a body when it is read, and only then", async () => {
  const asking = post("/", "abc").replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n");
  await withFront(echo, async ({ connect }) => {
    const client = await connect();
    await client.send(asking.slice(0, -3));
    await client.hears("HTTP/1.1 100 Continue\r\n\r\n");
    await client.send("abc");
    await client.hears("[/ abc]");
    await client.send(asking);
    await client.hears(/abc[^]*abc\]/);
    assert.equal(client.heard.split("100 Continue").length, 2, "not where the body is here");
  });
  await withFront({ answer: () => new Response("[no]", { status: 401 }) }, async ({ connect }) => {
    const client = await connect();
    await client.send(asking.slice(0, -3));
    assert(!(await client.rest()).includes("100 Continue"));
  });
});

for (const how of ["closes", "half-closes"]) {
  Deno.test(`a session hears a client that ${how} while it waits, whatever it has asked behind`, () => {
    const { answer, begun, gone, go } = held();
    return withFront({ answer }, async ({ connect, failures }) => {
      for (const [at, more] of ["", get("/2"), "GET /2", "x".repeat(60_000)].entries()) {
        const client = await connect();
        await client.send(post("/1", "abc"), ...more === "" ? [] : [more]);
        await until(() => begun.length === at + 1);
        await pause(5);
        if (how === "closes") client.close();
        else await client.halfClose();
        await until(() => gone.length === at + 1, { what: `the end, behind ${more.slice(0, 9)}` });
        go();
        if (how !== "closes") assert.equal(await client.rest(), "", "its answer was given up");
      }
      assert.deepEqual(new Set(begun), new Set(["/1"]));
      assert.deepEqual(failures, []);
    });
  });
}

Deno.test("a session answers who half-closes where nobody gives the answer up for that", () => {
  let go = () => {};
  const answer = async () => {
    await new Promise<void>((resolve) => go = resolve);
    return new Response("[answer]");
  };
  return withFront({ answer }, async ({ connect }) => {
    const client = await connect();
    await client.send(get("/1"));
    await client.halfClose();
    await pause(20);
    go();
    assert.match(await client.rest(), /\[answer\]$/);
  });
});

Deno.test("a session reads no more than a little ahead of a request", () => {
  const { answer, begun, go } = held();
  return withFront({ answer }, async ({ connect }) => {
    const client = await connect();
    await client.send(get("/first"));
    await until(() => begun.length === 1);
    let sent = false;
    const more = get("/more", `X: ${"x".repeat(50_000)}\r\n`);
    void client.send(...Array.from({ length: 400 }, () => more)).then(() => sent = true);
    await pause(150);
    assert.equal(sent, false, "20 MB are not taken in");
    go();
    for (let at = 2; at <= 5; at++) {
      await until(() => begun.length === at);
      go();
    }
    client.close();
    go();
  });
});

Deno.test("a session answers 500 where its app fails, and tells of it", () => {
  const answer = () => Promise.reject(new TypeError("broken"));
  return withFront({ answer }, async ({ connect, failures }) => {
    const client = await connect();
    await client.send(get("/"));
    await client.hears("HTTP/1.1 500 ");
    assert.match(String(failures), /broken/);
  });
});

Deno.test("shutdown closes idle connections, waits for answers and says that they are the last", () => {
  const { answer, begun, go } = held();
  return withFront({ answer }, async ({ connect, front }) => {
    const idle = await connect();
    await idle.send(get("/idle"));
    await until(() => begun.length === 1);
    go();
    await idle.hears("[/idle]");
    const [fresh, busy] = [await connect(), await connect()];
    await busy.send(post("/busy", "abc") + get("/behind"));
    await until(() => begun.length === 2);
    let stopped = false;
    const stopping = front.shutdown().then(() => stopped = true);
    assert(!(await idle.rest()).includes("close"));
    assert.equal(await fresh.rest(), "");
    await assert.rejects(connect());
    assert.equal(stopped, false);
    go();
    assert.match(await busy.rest(), /connection: close\r\n[^]*\[\/busy\]$/);
    busy.close();
    await stopping;
    assert.deepEqual(begun, ["/idle", "/busy"], "what waits behind is not begun");
  });
});

Deno.test("a request on its way when the server stops is answered on a kept connection, as its last", () => {
  const answer = (request: ClientRequest) => new Response(`[${pathOf(request)}]`);
  return withFront({ answer, lastRequestsMs: 250 }, async ({ connect, front, clock }) => {
    const [asking, silent] = [await connect(), await connect()];
    for (const client of [asking, silent]) {
      await client.send(get("/first"));
      await client.hears("[/first]");
    }
    const stopping = front.shutdown();
    await asking.send(get("/on-its-way") + get("/behind"));
    assert.match(await asking.rest(), /connection: close\r\n[^]*\[\/on-its-way\]$/);
    await clock.advanceOnce(turns, 250);
    assert(!(await silent.rest()).includes("close"));
    for (const client of [asking, silent]) client.close();
    await stopping;
  });
});

Deno.test("cut ends what is under way, and tells it that its client is gone", () => {
  const { answer, begun, gone, go } = held();
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
  const either = (request: ClientRequest) =>
    pathOf(request) === "/stream" ? new StreamedReply(stream, { status: 200 }) : answer(request);
  return withFront({ answer: either }, async ({ connect, front }) => {
    const [whole, streamed] = [await connect(), await connect()];
    await whole.send(get("/whole"));
    await streamed.send(get("/stream"));
    await streamed.hears("200 OK");
    await until(() => begun.length === 1);
    const stopping = front.shutdown();
    front.abort();
    await until(() => cancelled && gone.length === 1);
    go();
    await stopping;
    await Promise.all([whole.rest(), streamed.rest()]);
  });
});

Deno.test("a request that comes in the moment of the stop is answered, or nobody sees it", async () => {
  for (let turn = 0; turn < 30; turn++) {
    let seen = 0;
    const answer = () => {
      seen++;
      return new Response("[answer]");
    };
    await withFront({ answer }, async ({ connect, front }) => {
      const client = await connect();
      await client.send(get("/"));
      await client.hears("[answer]");
      await client.send(get("/"));
      if (turn % 3 > 0) await pause(turn % 3 - 1);
      const stopping = front.shutdown();
      const answers = (await client.rest()).split("[answer]").length - 1;
      assert.equal(seen, answers);
      client.close();
      await stopping;
    });
  }
});
