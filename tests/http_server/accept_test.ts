/** Which connections are accepted: faults of `accept`, the limit on connections, and a lack of file descriptors. */

import assert from "node:assert/strict";
import type { OpenSpare } from "../../server/http/http_server/spare_file.ts";
import { settle, turns } from "../support/clock.ts";
import { type FrontRig, type FrontRigOptions, withFront } from "../support/http_server_rig.ts";
import { pause, until } from "../support/until.ts";

const head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const hello: FrontRigOptions = { answer: () => new Response("[hello]") };

const noFiles = () => Object.assign(new Error("Too many open files (os error 24)"), { code: "EMFILE" });
const reset = () => new Deno.errors.NotConnected("Transport endpoint is not connected (os error 107)");

/** A listener that fails with each of `faults` before it accepts a connection. */
function failing(faults: Error[]): FrontRigOptions["listener"] {
  return (real) =>
    new Proxy(real, {
      get: (_, name) => {
        if (name === "accept") {
          return () => faults.length > 0 ? Promise.reject(faults.shift()) : real.accept();
        }
        const value = Reflect.get(real, name, real);
        return typeof value === "function" ? value.bind(real) : value;
      },
    });
}

async function assertServed({ connect }: Pick<FrontRig, "connect">): Promise<void> {
  const client = await connect();
  await client.send(head);
  await client.hears("[hello]");
}

/** Answers wait until `go` is called. */
function held() {
  const waiting: (() => void)[] = [];
  const answer = async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return new Response("[hello]");
  };
  return { answer, waiting, go: () => waiting.splice(0).forEach((resolve) => resolve()) };
}

Deno.test("a front accepts the next client at once after connections that were reset", () => {
  const faults = [
    ...Array.from({ length: 300 }, reset),
    new Deno.errors.ConnectionAborted("gone"),
    new Deno.errors.ConnectionReset("gone"),
    new Error("anything else"),
  ];
  return withFront({ ...hello, listener: failing(faults) }, async ({ connect, warnings, failures }) => {
    // The clock stands still: nothing here may wait for it.
    await assertServed({ connect });
    assert.deepEqual(failures, []);
    assert.deepEqual(warnings.map(({ error }) => error), ["Error: anything else"]);
  });
});

Deno.test("a front pauses while there are no files, and logs that once a second at most", () => {
  const faults = Array.from({ length: 25 }, noFiles);
  return withFront({ ...hello, listener: failing(faults) }, async ({ connect, clock, warnings }) => {
    await settle();
    assert.equal(faults.length, 24, "a pause follows");
    assert.equal(warnings.length, 1);
    for (let at = 0; at < 25; at++) await clock.advanceOnce(() => clock.open > 0, 100);
    await assertServed({ connect });
    assert.equal(warnings.length, 3);
    assert.match(String(warnings[0]?.message), /out of files or memory/);
    assert.equal(warnings[2]?.count, 10, "a line says for how many it stands");
  });
});

Deno.test("a front closes the longest idle connection for one beyond the limit", () =>
  withFront({ ...hello, limits: { connections: 3 } }, async ({ connect, warnings }) => {
    const [used, silent, later] = [await connect(), await connect(), await connect()];
    await used.send(head);
    await used.hears("[hello]");
    await assertServed({ connect });
    assert.equal(await silent.rest(), "", "it waited for the longest time");
    await assertServed({ connect });
    await later.rest();
    await assertServed({ connect });
    await used.rest();
    assert.match(String(warnings[0]?.message), /limit reached: closing idle/);
    assert.equal(warnings[0]?.connections, 3);
  }));

Deno.test("a front answers 503 beyond the limit where no connection is idle", () => {
  const { answer, waiting, go } = held();
  return withFront({ answer, limits: { connections: 2 } }, async ({ connect }) => {
    const served = [await connect(), await connect()];
    for (const client of served) await client.send(head);
    await until(() => waiting.length === 2);
    const refused = await connect();
    await refused.send(head);
    assert.match(await refused.rest(), /^HTTP\/1\.1 503 [^]*connection: close\r\n/);
    go();
    for (const client of served) await client.hears("[hello]");
    const next = await connect();
    await next.send(head);
    await until(() => waiting.length === 1);
    go();
    await next.hears("[hello]");
  });
});

Deno.test("a front keeps only few of those that it refuses", () => {
  const { answer, waiting, go } = held();
  return withFront({ answer, limits: { connections: 1 } }, async ({ connect }) => {
    const served = await connect();
    await served.send(head);
    await until(() => waiting.length === 1);
    const beyond = await Promise.all(Array.from({ length: 60 }, connect));
    await until(() => beyond.filter(({ end }) => end !== "").length >= 59, { what: "the end of the others" });
    go();
    await served.hears("[hello]");
  });
});

Deno.test("a front counts heads that are incomplete for a second, and unread replies, as idle", () =>
  withFront({ ...hello, limits: { connections: 2 } }, async ({ connect, clock }) => {
    const [slow, closing] = [await connect(), await connect()];
    await slow.send("GET / HTTP/1.1\r\nHos");
    await closing.send("GET / HTTP/1.0\r\n\r\n");
    await closing.hears("[hello]");
    await pause(10);
    const refused = await connect();
    await refused.send(head);
    assert.match(await refused.rest(), /^HTTP\/1\.1 503 /, "a head that has just begun is left in peace");
    refused.close();
    await clock.advanceOnce(turns, 1_000);
    await assertServed({ connect });
    await slow.rest();
  }));

Deno.test("a front closes half of the connections, idle ones, where there are no more files", () => {
  const faults: Error[] = [];
  return withFront({ ...hello, listener: failing(faults) }, async ({ connect, clock }) => {
    const clients = await Promise.all(Array.from({ length: 5 }, connect));
    await pause(10);
    // An `accept` is in progress already; the one behind it fails.
    faults.push(noFiles());
    clients.push(await connect());
    await until(() => clients.filter(({ end }) => end !== "").length === 3);
    assert.equal(clients[5]?.end, "", "the longest idle ones were closed");
    await assertServed({ connect });
    await clock.advanceOnce(() => clients.filter(({ end }) => end !== "").length === 4, 60_000);
    for (let at = 0; at < 10; at++) clients.push(await connect());
    await pause(10);
    assert.equal(clients.filter(({ end }) => end === "").length, 10, "the limit is as before");
  });
});

Deno.test("a front gives up its spare file to answer 503 where there are no more files and nobody is idle", () => {
  let spares = 0;
  const openSpare: OpenSpare = () => {
    spares++;
    return () => spares--;
  };
  return withFront({ ...hello, openSpare, listener: failing([noFiles()]) }, async ({ connect }) => {
    await until(() => spares === 0, { what: "that the spare file is closed" });
    const refused = await connect();
    await refused.send(head);
    assert.match(await refused.rest(), /^HTTP\/1\.1 503 /);
    refused.close();
    await until(() => spares === 1, { what: "that there is a spare file again" });
    await assertServed({ connect });
  });
});
