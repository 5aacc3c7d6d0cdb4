/** Sound flows: its first bytes at once, and no more of it in memory than somebody has fetched. */

import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startGateway } from "../support/gateway.ts";
import { patiently, pause, until } from "../support/until.ts";
import { lastReceipt, RATE, speak, speaker, speakerAt, tone, voiceModel } from "./rig.ts";

/** As much text as an hour of sound may have. */
const hour = "Good morning. ".repeat(300);

const MIB = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** Bytes that are not garbage. */
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
  });
  await pause(200);
  assert(fetched() < 48 * MIB, `${Math.round(fetched() / MIB)} MiB of 165 were fetched`);
  await reader?.cancel();
  assert.equal((await lastReceipt(gateway)).status, "cancelled");
});

/** Sends its first sound, and the rest when it is told to. */
function waiting() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const answer = () => {
    let sent = 0;
    const body = new ReadableStream({
      async pull(controller) {
        if (sent === 2) return controller.close();
        if (sent === 1) await promise;
        sent++;
        controller.enqueue(tone(0.25));
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "audio/pcm" } });
  };
  return { answer, go: resolve };
}

for (const format of ["pcm", "mp3"] as const) {
  Deno.test(`the first ${format} is there before the provider sends more`, async () => {
    const { answer, go } = waiting();
    await using upstream = speaker(answer);
    const models = [{ ...voiceModel, speech_formats: ["pcm"], max_input_characters: 10_000 }];
    await using gateway = await startGateway({ providers: [speakerAt(upstream.baseUrl, { models })] });
    const reader = (await speak(gateway, { body: { input: hour, response_format: format } })).body
      ?.getReader();
    const first = await patiently(reader?.read() ?? assert.fail(), "the first sound");
    assert((first.value?.length ?? 0) > 0);
    go();
    while (!(await reader?.read())?.done) { /* the rest */ }
  });
}
