/** Sound flows: its first bytes at once, and no more of it in memory than somebody has fetched. */

import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startGateway } from "../support/gateway.ts";
import { pause, until } from "../support/until.ts";
import { lastReceipt, RATE, speak, speaker, speakerAt, tone, voiceModel } from "./rig.ts";

/** As much text as an hour of sound may have. */
const hour = "Good morning. ".repeat(300);

const MIB = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** What is not garbage, in bytes. */
function held(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

interface Long {
  readonly answer: () => Response;
  /** Bytes that have been fetched. */
  readonly fetched: () => number;
}

/** A second of sound over and over, as fast as it is fetched. */
function long(seconds: number): Long {
  const second = tone(1);
  let sent = 0;
  const answer = () => {
    const body = new ReadableStream({
      pull(controller) {
        if (sent >= seconds * second.length) return controller.close();
        sent += second.length;
        controller.enqueue(second);
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "audio/pcm" } });
  };
  return { answer, fetched: () => sent };
}

for (const format of ["pcm", "mp3"] as const) {
  // An hour of MP3 takes half a minute to encode.
  const seconds = format === "pcm" || Deno.env.get("TOLLGATE_TEST_ALL") === "1" ? 3_600 : 300;

  Deno.test(`${seconds} s of ${format} pass in a memory that does not grow with them`, async () => {
    const { answer } = long(seconds);
    await using upstream = speaker(answer);
    const models = [{ ...voiceModel, speech_formats: ["pcm"], max_input_characters: 10_000 }];
    await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
    const response = await speak(gateway, { body: { input: hour, response_format: format } });
    const least = seconds * (format === "pcm" ? 2 * RATE : 4_000);
    let length = 0;
    let most = 0;
    let looked = 0;
    collect();
    const before = held();
    for await (const bytes of response.body ?? []) {
      length += bytes.length;
      if (length - looked < least / 8) continue;
      looked = length;
      collect();
      most = Math.max(most, held() - before);
    }
    assert(length >= least, `${length} bytes`);
    assert(
      most < 16 * MIB,
      `${Math.round(most / MIB)} MiB for ${Math.round(seconds * 2 * RATE / MIB)} MiB of sound`,
    );
    assert.equal((await lastReceipt(gateway)).usage.seconds, seconds);
  });
}

Deno.test("a client that reads nothing stops the provider, too", async () => {
  const { answer, fetched } = long(3_600);
  await using upstream = speaker(answer);
  await using gateway = await startGateway({
    providers: [speakerAt(upstream.baseUrl, { models: [{ ...voiceModel, max_input_characters: 10_000 }] })],
  });
  const response = await speak(gateway, { body: { input: hour } });
  const reader = response.body?.getReader();
  await reader?.read();
  let before = -1;
  // Sockets have room of their own; what counts is that it comes to an end.
  await until(() => {
    const stands = fetched() === before;
    before = fetched();
    return stands;
  }, { within: 10_000 });
  await pause(200);
  assert(fetched() < 48 * MIB, `${Math.round(fetched() / MIB)} MiB of 165 were fetched`);
  await reader?.cancel();
  assert.equal((await lastReceipt(gateway)).status, "cancelled");
});

/** Sends its first sound when it is told to. */
function waiting() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let sentAt = 0;
  const answer = () => {
    let sent = false;
    const body = new ReadableStream({
      async pull(controller) {
        if (sent) return controller.close();
        sent = true;
        await promise;
        sentAt = performance.now();
        controller.enqueue(tone(0.25));
        // The rest takes its time.
        await pause(150);
      },
    });
    return new Response(body, { headers: { "content-type": "audio/pcm" } });
  };
  return { answer, go: resolve, sentAt: () => sentAt };
}

for (const format of ["pcm", "mp3"] as const) {
  Deno.test(`the first ${format} is there within 20 ms of the provider's`, async () => {
    const took: number[] = [];
    for (let tries = 0; tries < 6; tries++) {
      const { answer, go, sentAt } = waiting();
      await using upstream = speaker(answer);
      const models = [{ ...voiceModel, speech_formats: ["pcm"], max_input_characters: 10_000 }];
      await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
      const requested = speak(gateway, { body: { input: hour, response_format: format } });
      await until(() => upstream.requested.length === 1);
      go();
      const reader = (await requested).body?.getReader();
      await reader?.read();
      took.push(performance.now() - sentAt());
      while (!(await reader?.read())?.done);
    }
    // The first call loads what it needs; other processes share the machine.
    assert(Math.min(...took.slice(1)) < 20, took.map((ms) => ms.toFixed(1)).join(", "));
  });
}
