/** The plugin `web-fetch`: which addresses are fetched, what the model is given, and what goes wrong. */

import assert from "node:assert/strict";
import { asList, asObject } from "../support/event_stream.ts";
import { until } from "../support/until.ts";
import { says, send, type Turns, wholeOf } from "../server_tools/rig.ts";
import { withWeb } from "../server_tools/web_rig.ts";
import { apis, askWith, explained, requestOn, stagesOf } from "./rig.ts";

const hi: Turns = () => [says("Hi.")];
const plain = (text: string) => new Response(text, { headers: { "content-type": "text/plain" } });
const plugins = [{ id: "web-fetch" }];

Deno.test("the first five addresses of the latest message are fetched, and stand in front of it", async () => {
  await withWeb(
    { pages: (path) => plain(`Text of ${path}.`) },
    async ({ gateway, plan, taken, site, fetched }) => {
      plan(hi);
      const named = ["a", "b", "a", "c", "d", "e", "f"].map((name) => `${site}/${name}`);
      const input = [
        { role: "user", content: `Old: ${site}/old` },
        { role: "assistant", content: `Seen: ${site}/seen` },
        { role: "user", content: `See (${named[0]}), **${named[1]}**: ${named.slice(2).join(" ")}` },
      ];
      const body = { model: "mock/responses", input, plugins };
      const answer = await askWith(gateway, { api: "responses", stream: false, body });
      assert.deepEqual(fetched.toSorted(), ["/a", "/b", "/c", "/d", "/e"]);
      const [, , pages, question] = asList(taken("responses")[0]?.input).map(asObject);
      assert.equal(pages?.role, "developer");
      assert.match(JSON.stringify(question), /See \(/);
      const text = JSON.stringify(pages);
      for (const path of ["/a", "/b", "/c", "/d", "/e"]) assert(text.includes(`Text of ${path}.`), path);
      assert.doesNotMatch(text, /Text of \/(?:f|old|seen)/);
      assert.deepEqual(stagesOf(answer).map(({ name, data }) => [name, data]), [
        ["web-fetch", { fetched: 5, failed: 0 }],
      ]);
      const [said] = await explained(gateway, body);
      assert.equal(
        said?.would,
        `fetch ${["a", "b", "c", "d", "e"].map((name) => `"${site}/${name}"`).join(", ")}`,
      );
    },
  );
});

Deno.test("pages are fetched side by side", async () => {
  let waiting = 0;
  const gate = Promise.withResolvers<void>();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async () => {
    waiting++;
    await gate.promise;
    return plain("Here.");
  });
  const host = `127.0.0.1:${server.addr.port}`;
  const file = { fetch: { allowed_hosts: [host] } };
  await withWeb({ gateway: { file } }, async ({ gateway, plan, taken }) => {
    plan(hi);
    const text = ["a", "b", "c"].map((name) => `http://${host}/${name}`).join(" ");
    const asking = send(gateway, {
      api: "chat",
      body: requestOn("chat", { model: "mock/chat", text, plugins }),
    });
    await until(() => waiting === 3, { what: "that all pages are asked for" });
    gate.resolve();
    wholeOf(await asking);
    assert.equal(JSON.stringify(taken("chat")).split("Here.").length, 4);
  });
});

Deno.test("what could not be fetched is told in a line, on every API, whole and streamed", async () => {
  const pages = (path: string) =>
    path === "/picture"
      ? new Response(new Uint8Array([137, 80, 78, 71]), { headers: { "content-type": "image/png" } })
      : path === "/good"
      ? plain("Good text.")
      : new Response("No.", { status: 404 });
  await withWeb({ pages }, async ({ gateway, plan, taken, site }) => {
    for (const api of apis) {
      for (const stream of [false, true]) {
        plan(hi);
        const text = `${site}/none ${site}/picture http://127.0.0.1:1/inside ${site}/good https://[bad/`;
        const body = requestOn(api, { model: "mock/chat", text, plugins });
        const answer = await askWith(gateway, { api, stream, body });
        const sent = JSON.stringify(taken("chat")[0]);
        assert(sent.includes(`${site}/none could not be fetched: The server answers with status 404.`), sent);
        assert(sent.includes(`${site}/picture could not be fetched: It is a file`), sent);
        assert.match(sent, /127\.0\.0\.1:1\/inside could not be fetched: /);
        assert.match(sent, /Good text\./);
        assert.deepEqual(stagesOf(answer)[0]?.data, { fetched: 1, failed: 3 });
      }
    }
  });
});

Deno.test("max_uses bounds the addresses, domain lists what is reached, and tokens the text of all pages", async () => {
  const pages = (path: string) =>
    path === "/moved"
      ? new Response(null, { status: 302, headers: { location: "/hidden/page" } })
      : plain(`${path.slice(1, 4)} `.repeat(1_000));
  await withWeb({ pages }, async ({ gateway, plan, taken, site, fetched }) => {
    const ask = async (settings: Readonly<Record<string, unknown>>, paths: readonly string[]) => {
      plan(hi);
      const text = paths.map((path) => `${site}/${path}`).join("\n");
      const web = { id: "web-fetch", ...settings };
      wholeOf(await send(gateway, { body: { model: "mock/chat", input: text, plugins: [web] } }));
      return JSON.stringify(taken("chat")[0]);
    };
    await ask({ max_uses: 1 }, ["one", "two"]);
    assert.deepEqual(fetched, ["/one"]);
    const blocked = await ask({ blocked_domains: ["127.0.0.1/hidden"] }, ["hidden/page", "moved", "two"]);
    assert.doesNotMatch(blocked, /hid hid/);
    assert.match(blocked, /two two/);
    const few = await ask({ max_content_tokens: 1_200 }, ["one", "two"]);
    const count = (word: string) => few.split(`${word} `).length - 1;
    assert(count("one") >= 1_000, `${count("one")}`);
    assert(count("two") > 100 && count("two") < 250, `${count("two")}`);
    assert.match(few, /\[The rest was left out\.\]/);
  });
});

Deno.test("a message without addresses leaves no stage, and nothing is fetched", async () => {
  await withWeb({}, async ({ gateway, plan, fetched, site }) => {
    plan(hi);
    const input = [{ role: "user", content: `${site}/old` }, { role: "assistant", content: "Yes." }, {
      role: "user",
      content: "And http:// or httpx://a.example?",
    }];
    const body = { model: "mock/chat", input, plugins };
    const answer = await askWith(gateway, { api: "responses", stream: false, body });
    assert.deepEqual(stagesOf(answer), []);
    assert.deepEqual(fetched, []);
    assert.match(
      String((await explained(gateway, body))[0]?.would),
      /^do nothing: the user's latest message/,
    );
  });
});

Deno.test("web-fetch and web stand beside each other, pages before results", async () => {
  await withWeb({ pages: () => plain("The page.") }, async ({ gateway, plan, taken, site }) => {
    plan(hi);
    const body = {
      model: "mock/responses",
      input: `What is ${site}/a?`,
      plugins: [{ id: "web" }, ...plugins],
    };
    const answer = await askWith(gateway, { api: "responses", stream: false, body });
    assert.deepEqual(stagesOf(answer).map(({ name }) => name), ["web-fetch", "web-search"]);
    const [pages, results, question] = asList(taken("responses")[0]?.input).map((item) =>
      JSON.stringify(item)
    );
    assert.match(pages ?? "", /The page\./);
    assert.match(results ?? "", /The first 😀 text/);
    assert.match(question ?? "", /What is/);
  });
});
