/** When a keeper that has ended is started again, and who waits for it; its process and its time are the test's. */

import assert from "node:assert/strict";
import { memoryClock, settle, type SteppedClock } from "../../../tests/support/clock.ts";
import { linesLogger } from "../../../tests/support/reader.ts";
import { until } from "../../../tests/support/until.ts";
import { FrameReader, FrameWriter, streamReader } from "./frames.ts";
import { type Keeper, KeeperUnavailable } from "./keeper.ts";
import { keeperRequestSchema } from "./messages.ts";
import { RestartedKeeper } from "./start_keeper.ts";
import { type ProcessEnd, type StartedProcess, type Starter, StarterEnded } from "./starter.ts";

/** Stands in for a keeper's process: answers each run when it is told to, and ends when its input does. */
class FakeProcess {
  readonly #input = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  readonly #output = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  readonly #end = Promise.withResolvers<ProcessEnd>();
  readonly #events = new FrameWriter(this.#output.writable);
  /** Types of what it was sent. */
  readonly taken: string[] = [];
  readonly started: StartedProcess = {
    stdin: this.#input.writable,
    stdout: this.#output.readable,
    ended: this.#end.promise,
    kill: () => this.end("SIGKILL"),
  };

  constructor(readonly answers: boolean) {
    void this.#serve();
  }

  async #serve(): Promise<void> {
    const frames = new FrameReader(streamReader(this.#input.readable));
    for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) {
      const { type, id } = keeperRequestSchema.parse(frame.header);
      this.taken.push(type);
      if (this.answers && type === "run") await this.say({ type: "ended", id, outcome: "done" });
    }
    this.end(null);
  }

  async say(event: object): Promise<void> {
    await this.#events.write(event);
  }

  end(signal: string | null): void {
    void this.#events.close();
    this.#end.resolve({ code: signal === null ? 0 : 137, signal });
  }
}

interface Rig extends AsyncDisposable {
  readonly keeper: Keeper;
  readonly clock: SteppedClock;
  readonly lines: readonly string[];
  readonly processes: readonly FakeProcess[];
  /** Starts fail with it, or wait for ever. */
  readonly starter: { fails?: Error; waits?: boolean; isClosed: boolean };
  readonly last: () => FakeProcess;
  readonly run: (signal?: AbortSignal) => Promise<string>;
}

function keeperRig({ answers = true } = {}): Rig {
  const [clock, lines, processes]: [SteppedClock, string[], FakeProcess[]] = [memoryClock(), [], []];
  const state: Rig["starter"] = { isClosed: false };
  let waiting: PromiseWithResolvers<StartedProcess> | undefined;
  const starter: Starter = {
    start: () => {
      if (state.fails !== undefined) return Promise.reject(state.fails);
      if (state.waits === true) return (waiting = Promise.withResolvers<StartedProcess>()).promise;
      const process = new FakeProcess(answers);
      processes.push(process);
      return Promise.resolve(process.started);
    },
    close: () => {
      state.isClosed = true;
      waiting?.reject(new StarterEnded("closed"));
    },
  };
  const keeper = new RestartedKeeper({ clock, log: linesLogger(lines), starter });
  const signal = new AbortController().signal;
  return {
    keeper,
    clock,
    lines,
    processes,
    starter: state,
    last: () => processes.at(-1) ?? assert.fail("none was started"),
    run: async (left = signal) => {
      const input = { input: new Uint8Array(0), signal: left };
      return await keeper.run("reader", input).then(
        ({ outcome }) => outcome,
        (error) => String(error.message),
      );
    },
    [Symbol.asyncDispose]: async () => {
      await keeper.close();
      assert.equal(state.isClosed, true);
      assert.equal(clock.open, 0, "no deadline stays open");
    },
  };
}

/** Ends the keeper that runs, and waits until that is known. */
async function kill(rig: Rig): Promise<void> {
  rig.last().end("SIGKILL");
  await until(() => rig.keeper.problem !== undefined, { what: "the keeper's end" });
  await settle();
}

const RESTARTING = "The keeper has ended and is being started again. Try again in a moment.";

Deno.test("a keeper that was killed is started again, and the next run waits for it", async () => {
  await using rig = keeperRig();
  assert.equal(await rig.run(), "done");
  await kill(rig);
  assert.deepEqual([rig.keeper.problem, rig.keeper.unavailableReason], [RESTARTING, undefined]);
  const next = rig.run();
  await rig.clock.advance(999);
  assert.equal(rig.processes.length, 1, "the pause is not over");
  await rig.clock.advance(1);
  assert.equal(await next, "done");
  assert.deepEqual([rig.keeper.problem, rig.processes.length], [undefined, 2]);
  assert.deepEqual(rig.lines, [
    'error Keeper ended; it is started again {"code":137,"signal":"SIGKILL"}',
    "info Keeper started again {}",
  ]);
});

Deno.test("runs that are under way when the keeper ends fail, whole and staying ones", async () => {
  await using rig = keeperRig({ answers: false });
  await settle();
  const running = rig.run();
  const { ended } = rig.keeper.open("sandbox", { memoryMib: 64, onFrame: () => {} });
  const opened = ended.catch(String);
  await until(() => rig.last().taken.length === 2);
  await kill(rig);
  assert.equal(await running, RESTARTING);
  assert.equal(await opened, `KeeperUnavailable: ${RESTARTING}`);
});

Deno.test("pauses between starts double up to a minute, and are short again after a minute that was well", async () => {
  await using rig = keeperRig();
  await settle();
  const pauses: number[] = [];
  for (let time = 0; time < 8; time++) {
    await kill(rig);
    const started = rig.processes.length;
    let pause = 0;
    for (; rig.processes.length === started; pause++) await rig.clock.advance(1_000);
    pauses.push(pause);
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
  assert.equal(rig.lines.length, 2, "logged once");
  await rig.clock.advance(60_000);
  await kill(rig);
  assert.equal(rig.lines.length, 3, "logged again after it was well");
  await rig.clock.advance(1_000);
  assert.equal(await rig.run(), "done");
});

Deno.test("a run fails at once while the next start is far, and after half a minute where none comes", async () => {
  await using rig = keeperRig();
  await settle();
  rig.starter.fails = new Error("no memory");
  await kill(rig);
  const early = rig.run();
  await rig.clock.advance(1_000 + 2_000 + 4_000 + 8_000 + 16_000);
  assert.equal(await early, RESTARTING);
  assert.equal(rig.keeper.unavailableReason, RESTARTING);
  assert.equal(await rig.run(), RESTARTING);
  assert.throws(
    () => rig.keeper.open("sandbox", { memoryMib: 64, onFrame: () => {} }),
    KeeperUnavailable,
  );
  assert.equal(rig.lines.filter((line) => line.includes("no memory")).length, 1, "logged once");
  rig.starter.fails = undefined;
  await rig.clock.advance(2_000);
  const late = rig.run();
  await rig.clock.advance(30_000);
  assert.equal(await late, "done");
});

Deno.test("who waits for a keeper may leave, and a program that stays is started by the next one", async () => {
  await using rig = keeperRig();
  await settle();
  await kill(rig);
  const abort = new AbortController();
  const leaving = rig.run(abort.signal);
  const left = rig.keeper.open("sandbox", { memoryMib: 64, onFrame: () => {} });
  const frames: unknown[] = [];
  const session = rig.keeper.open("sandbox", { memoryMib: 64, onFrame: ({ header }) => frames.push(header) });
  session.send({ header: { type: "load" } });
  abort.abort(new Error("left"));
  left.kill();
  assert.equal(await leaving, "left");
  assert.deepEqual(await left.ended, { outcome: "stopped" });
  await rig.clock.advance(1_000);
  await until(() => rig.last().taken.length === 2);
  assert.deepEqual(rig.last().taken, ["open", "send"]);
  await rig.last().say({ type: "frame", id: 0, header: { type: "ready" } });
  await until(() => frames.length === 1);
  await rig.last().say({ type: "ended", id: 0, outcome: "done" });
  assert.equal((await session.ended).outcome, "done");
});

Deno.test("a keeper that says what makes no sense is ended, and another one takes its place", async () => {
  await using rig = keeperRig();
  await settle();
  await rig.last().say({ type: "nonsense" });
  await until(() => rig.keeper.problem !== undefined);
  await rig.clock.advance(1_000);
  assert.equal(await rig.run(), "done");
});

const closings = {
  "while it runs": async () => {},
  "in the pause before a start": kill,
  "while it is being started again": async (rig: Rig) => {
    await kill(rig);
    rig.starter.waits = true;
    await rig.clock.advance(1_000);
  },
};

for (const [when, prepare] of Object.entries(closings)) {
  Deno.test(`a gateway that stops ends its keeper ${when}, and the calls that wait for it`, async () => {
    const rig = keeperRig();
    assert.equal(await rig.run(), "done");
    await prepare(rig);
    const waiting = when === "while it runs" ? undefined : rig.run();
    await settle();
    await rig.keeper.close();
    assert.equal(await waiting, when === "while it runs" ? undefined : "The gateway is stopping.");
    assert.equal(await rig.run(), "The gateway is stopping.");
    await rig.clock.advance(120_000);
    assert.deepEqual([rig.processes.length, rig.clock.open, rig.starter.isClosed], [1, 0, true]);
  });
}

Deno.test("a keeper that can never be started again says to restart the gateway", async () => {
  await using rig = keeperRig();
  await settle();
  rig.starter.fails = new StarterEnded("the thread has failed");
  await kill(rig);
  const waiting = rig.run();
  await rig.clock.advance(1_000);
  assert.match(await waiting, /Restart the gateway/);
  assert.match(rig.keeper.unavailableReason ?? "", /Restart the gateway/);
  assert.match(rig.keeper.problem ?? "", /Restart the gateway/);
});
