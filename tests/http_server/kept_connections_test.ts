/** When a connection goes on and when it ends; answers without bodies; bodies that nobody asked for. */

import assert from "node:assert/strict";
import {
  type ApiRig,
  assertHeard,
  assertTurnedDown,
  lookup,
  question,
  questionParts,
  withApi,
} from "../support/api_rig.ts";
import type { Line } from "../support/raw_client.ts";
import { pause } from "../support/until.ts";

const CLOSE = "Connection: close\r\n";
const KEEP = "Connection: keep-alive\r\n";

interface Lasting {
  readonly version: string;
  readonly fields: string;
  readonly goesOn: boolean;
}

const lasting: Readonly<Record<string, Lasting>> = {
  "1.1": { version: "1.1", fields: "", goesOn: true },
  "1.1 with keep-alive": { version: "1.1", fields: KEEP, goesOn: true },
  "1.1 with close": { version: "1.1", fields: CLOSE, goesOn: false },
  "1.1 with Close": { version: "1.1", fields: "connection: Close\r\n", goesOn: false },
  "1.1 with close among others": { version: "1.1", fields: "Connection: te, close , x\r\n", goesOn: false },
  "1.1 with close in a second field": { version: "1.1", fields: `${KEEP}${CLOSE}`, goesOn: false },
  "1.1 with a word that begins with close": {
    version: "1.1",
    fields: "Connection: closed\r\n",
    goesOn: true,
  },
  "1.1 with another word": { version: "1.1", fields: "Connection: te\r\nTE: trailers\r\n", goesOn: true },
  "1.0": { version: "1.0", fields: "", goesOn: false },
  "1.0 with close": { version: "1.0", fields: CLOSE, goesOn: false },
  "1.0 with keep-alive": { version: "1.0", fields: KEEP, goesOn: true },
  "1.0 with Keep-Alive": {
    version: "1.0",
    fields: "Connection: Keep-Alive\r\nKeep-Alive: timeout=5\r\n",
    goesOn: true,
  },
  "1.0 with both": { version: "1.0", fields: "Connection: keep-alive, close\r\n", goesOn: false },
};

for (const stream of [false, true]) {
  Deno.test(`the door keeps a connection as long as it is asked to (${stream ? "streamed" : "whole"})`, async (t) => {
    await withApi(async ({ gateway, open }) => {
      for (const [which, { version, fields, goesOn }] of Object.entries(lasting)) {
        await t.step(which, async () => {
          await using client = await open();
          const input = "how long";
          await client.send(question(gateway, { input, stream, version, fields }));
          const reply = await client.reply();
          assertHeard(reply, input);
          // A stream has no length: to an old client its end is the connection's.
          if (version === "1.0" && stream) assert.equal(reply.framing, "close");
          const wanted = goesOn && reply.framing !== "close";
          // An old client's connection may always be closed.
          if (version === "1.1" || !wanted) assert.equal(reply.keepsAlive, wanted);
          if (!reply.keepsAlive) return void assert.equal(await client.ended(), "fin");
          await client.send(question(gateway, { input: "the next" }));
          assertHeard(await client.reply(), "the next");
        });
      }
    });
  });
}

Deno.test("the door answers nothing behind the request that ends the connection", async () => {
  await withApi(async ({ gateway, upstream, open }) => {
    await using client = await open();
    await client.send(
      question(gateway, { input: "last", fields: CLOSE }) + question(gateway, { input: "behind" }),
    );
    assertHeard(await client.reply(), "last");
    await client.ended();
    assert.equal(upstream.requested.length, 1);
  });
});

Deno.test("the door keeps a connection between requests, however long nothing is said", async () => {
  await withApi(async ({ gateway, open }) => {
    await using client = await open();
    for (let turn = 0; turn < 5; turn++) {
      await client.send(lookup(gateway, "/healthz"));
      assert.equal((await client.reply()).status, 200);
      await pause(30);
    }
  });
});

Deno.test("the door answers HEAD with the head that GET has, and no byte more", async (t) => {
  await withApi(async ({ gateway, open }) => {
    for (const path of ["/healthz", "/readyz", "/v1/models", "/v1/key", "/v1/nothing"]) {
      await t.step(path, async () => {
        await using client = await open();
        await client.send(lookup(gateway, path));
        const got = await client.reply();
        await client.send(lookup(gateway, path, { method: "HEAD" }) + lookup(gateway, "/healthz"));
        const { status, headers } = await client.reply({ to: "HEAD" });
        assert.equal(status, got.status);
        assert.equal(headers.get("content-type"), got.headers.get("content-type"));
        const length = headers.get("content-length");
        if (status === 200) assert(length === null || length === got.headers.get("content-length"));
        assert.equal((await client.reply()).status, 200, "what comes next is the next answer");
      });
    }
  });
});

Deno.test("the door answers a page's question before its question", async () => {
  await withApi(async ({ gateway, open }) => {
    await using client = await open();
    const fields = "Origin: https://page.example\r\nAccess-Control-Request-Method: POST\r\n" +
      "Access-Control-Request-Headers: authorization, content-type\r\n";
    for (let turn = 0; turn < 3; turn++) {
      await client.send(lookup(gateway, "/v1/responses", { method: "OPTIONS", fields }));
      const { status, headers } = await client.reply();
      assert.equal(status, 204);
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.equal(headers.get("access-control-allow-headers"), "authorization, content-type");
    }
    await client.send(question(gateway, { input: "then", fields: "Origin: https://page.example\r\n" }));
    const reply = await client.reply();
    assertHeard(reply, "then");
    assert.equal(reply.headers.get("access-control-allow-origin"), "*");
  });
});

const EXPECT = "Expect: 100-continue\r\n";

for (const chunks of [undefined, [10]]) {
  Deno.test(`the door says when to go on (${chunks ? "in chunks" : "with a length"})`, async () => {
    await withApi(async ({ gateway, upstream, open }) => {
      await using client = await open();
      for (const input of ["first", "second"]) {
        const { head, body } = questionParts(gateway, { input, chunks, fields: EXPECT });
        await client.send(head);
        assert.equal(await nextLine(client), "HTTP/1.1 100 Continue");
        await client.send(body);
        const reply = await client.reply();
        assertHeard(reply, input);
        assert.deepEqual(reply.interim, [], "once");
      }
      assert.equal(upstream.requested.length, 2);
    });
  });
}

/** The status line of an interim answer. */
async function nextLine(client: Line): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\r\n\r\n")) {
    const bytes = await client.more();
    assert(bytes !== undefined, `the connection ended behind ${text}`);
    text += decoder.decode(bytes);
  }
  assert(text.endsWith("\r\n\r\n"), `nothing comes behind it: ${text}`);
  return text.slice(0, text.indexOf("\r\n"));
}

Deno.test("the door takes a body that does not wait to be let in", async () => {
  await withApi(async ({ gateway, open }) => {
    await using client = await open();
    for (const input of ["one", "two"]) {
      const { head, body } = questionParts(gateway, { input, fields: EXPECT });
      await client.send(head + body);
      const reply = await client.reply();
      assertHeard(reply, input);
      assert(reply.interim.length <= 1 && reply.interim.every((status) => status === 100));
    }
  });
});

interface Unread {
  readonly status: number;
  readonly change: (good: string) => string;
}

/** Refused by their heads. */
const unread: Readonly<Record<string, Unread>> = {
  "without a key": { status: 401, change: (good) => good.replace(/Authorization[^\r]*\r\n/, "") },
  "with a key that is nobody's": {
    status: 401,
    change: (good) => good.replace(/Bearer [^\r]*/, "Bearer nobody"),
  },
  "at a path that is not there": {
    status: 404,
    change: (good) => good.replace("/v1/responses", "/v1/nothing"),
  },
  "that is too large": {
    status: 413,
    change: (good) => good.replace(/Content-Length: \d+/, "Content-Length: 99999999"),
  },
  "of another type": { status: 400, change: (good) => good.replace("application/json", "text/plain") },
  "that is compressed": {
    status: 400,
    change: (good) => good.replace("\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n"),
  },
};

Deno.test("the door lets no body in that is refused by its head", async (t) => {
  await withApi(async ({ gateway, upstream, open }) => {
    for (const [which, { status, change }] of Object.entries(unread)) {
      await t.step(which, async () => {
        await using client = await open();
        await client.send(change(questionParts(gateway, { fields: EXPECT }).head));
        const reply = await client.reply();
        assert.equal(reply.status, status, reply.text);
        assert.deepEqual(reply.interim, []);
      });
    }
    assert.equal(upstream.requested.length, 0);
  });
});

Deno.test("the door answers an expectation that it does not know with 417 or not at all", async () => {
  await withApi(async ({ gateway, open }) => {
    await using client = await open();
    await client.send(question(gateway, { input: "fine", fields: "Expect: tea\r\n" }));
    const reply = await client.reply();
    if (reply.status !== 417) assertHeard(reply, "fine");
  });
});

Deno.test("the door says nothing of going on to who did not ask, or speaks the old protocol", async () => {
  await withApi(async ({ gateway, open }) => {
    await using plain = await open();
    const { head, body } = questionParts(gateway, { input: "slow" });
    await plain.send(head, body);
    assert.deepEqual((await plain.reply()).interim, []);
    await using old = await open();
    const parts = questionParts(gateway, { input: "old", version: "1.0", fields: EXPECT });
    await old.send(parts.head, parts.body);
    const reply = await old.reply();
    assertHeard(reply, "old");
    assert.deepEqual(reply.interim, []);
  });
});

const MIB = 1024 * 1024;

/** Sends a body of 31 MiB, anyone who reads it, and then reads what was said. */
async function sendAllTheSame({ open }: ApiRig, head: string) {
  await using client = await open();
  const chunk = new Uint8Array(MIB).fill(32);
  await client.send(head.replace(/Content-Length: \d+/, `Content-Length: ${31 * MIB}`));
  for (let sent = 0; sent < 31; sent++) {
    // Most clients give up when they cannot send, and do not look for an answer any more.
    assert(await client.send(chunk), `the connection is broken after ${sent} MiB`);
  }
  return await client.reply();
}

Deno.test("the door's refusal is heard by who still sends a large body", async (t) => {
  await withApi(async (rig) => {
    for (const [which, { status, change }] of Object.entries(unread)) {
      if (status === 413) continue;
      await t.step(which, async () => {
        const reply = await sendAllTheSame(rig, change(questionParts(rig.gateway).head));
        assert.equal(reply.status, status, reply.text);
        assert.equal(JSON.parse(reply.text).error.code, status);
      });
    }
    assert.equal(rig.upstream.requested.length, 0);
  });
});

Deno.test("the door answers who has asked and says that there will be no more", async (t) => {
  await withApi(async ({ gateway, open }) => {
    for (const path of ["/healthz", "/readyz", "/v1/models", "/v1/key", "/v1/nothing"]) {
      await t.step(path, async () => {
        await using client = await open();
        await client.send(lookup(gateway, path));
        await client.halfClose();
        assert.equal((await client.reply()).status, path === "/v1/nothing" ? 404 : 200);
        await client.ended();
      });
    }
  });
});

Deno.test("the door goes on or closes behind a refusal, and never loses its place", async (t) => {
  await withApi(async (rig) => {
    const { gateway, open } = rig;
    for (const [which, { status, change }] of Object.entries(unread)) {
      for (const chunks of status === 413 ? [undefined] : [undefined, [7]]) {
        for (const pieces of [1, 2, 3]) {
          await t.step(`${which}, ${chunks ? "in chunks" : "with a length"}, ${pieces}`, async () => {
            await using client = await open();
            const { head, body } = questionParts(gateway, { input: "unread", chunks });
            const middle = Math.floor(body.length / 2);
            const all = pieces === 1
              ? [change(head) + body]
              : [change(head), ...(pieces === 2 ? [body] : [body.slice(0, middle), body.slice(middle)])];
            await client.send(...all);
            await assertTurnedDown(client, { statuses: [status], gateway });
          });
        }
      }
    }
    assert(!rig.upstream.requested.some(({ body }) => JSON.stringify(body).includes("unread")));
  });
});

Deno.test("the door answers what is pipelined behind refusals, or closes and says so", async () => {
  await withApi(async ({ gateway, open }) => {
    const refused = question(gateway, { input: "unread", key: "nobody" });
    const good = question(gateway, { input: "good" });
    for (const order of [[refused, good], [good, refused, good], [refused, refused, good, refused, good]]) {
      await using client = await open();
      await client.send(order.join(""));
      for (const one of order) {
        const reply = await client.reply();
        if (one === good) assertHeard(reply, "good");
        else assert.equal(reply.status, 401);
        if (reply.keepsAlive) continue;
        await client.ended();
        break;
      }
    }
  });
});

Deno.test("the door forgives a body where none is expected", async (t) => {
  await withApi(async ({ gateway, open }) => {
    for (const method of ["GET", "HEAD", "OPTIONS", "DELETE"]) {
      for (
        const framed of [
          "Content-Length: 5\r\n\r\nhello",
          "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        ]
      ) {
        await t.step(`${method} ${framed.slice(0, 8)}`, async () => {
          await using client = await open();
          const head = `${method} /healthz HTTP/1.1\r\nHost: a\r\n`;
          await client.send(head + framed);
          const reply = await client.reply({ to: method });
          assert.equal(reply.status, { GET: 200, HEAD: 200, OPTIONS: 204, DELETE: 404 }[method]);
          if (!reply.keepsAlive) return void await client.ended();
          await client.send(lookup(gateway, "/healthz"));
          assert.equal((await client.reply()).status, 200);
        });
      }
    }
  });
});

Deno.test("the door takes a POST without a body as one", async () => {
  await withApi(async ({ gateway, open }) => {
    await using client = await open();
    for (const fields of ["", "Content-Length: 0\r\n"]) {
      await client.send(lookup(gateway, "/v1/responses", { method: "POST", fields }));
      assert.equal((await client.reply()).status, 400);
    }
  });
});
