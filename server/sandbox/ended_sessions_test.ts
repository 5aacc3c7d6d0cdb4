/** A process is not believed once the gateway has told it to end: its frames may come before its end. */

import assert from "node:assert/strict";
import { BoxSession } from "./bubblewrap/box_session.ts";
import type { Keeper, ProgramSession, SessionInput } from "./keeper/keeper.ts";
import { encodePack } from "./pack.ts";
import { ProcessEnded, ProcessSession } from "./process_session.ts";

const MIB = 1024 * 1024;

interface Frame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** A keeper whose one program says what the test wants, and ends when the test says so. */
function scriptedKeeper() {
  const ended = Promise.withResolvers<Awaited<ProgramSession["ended"]>>();
  let [onFrame, kills]: [SessionInput["onFrame"] | undefined, number] = [undefined, 0];
  const open: Keeper["open"] = (_program, input) => {
    onFrame = input.onFrame;
    return { ended: ended.promise, send: () => {}, kill: () => void kills++ };
  };
  return {
    keeper: { open },
    say: (frames: readonly Frame[]) => {
      for (const { header, body = new Uint8Array(0) } of frames) onFrame?.({ header, body });
    },
    end: () => ended.resolve({ outcome: "failed" }),
    get kills() {
      return kills;
    },
  };
}

const times = (count: number, frame: Frame): readonly Frame[] => Array.from({ length: count }, () => frame);
const call = (body: Uint8Array<ArrayBuffer>): Frame => ({
  header: { type: "call", request: 1, id: 1, name: "fetch" },
  body,
});
const printed: Frame = { header: { type: "printed", request: 1 }, body: encodePack({}) };

/** Frames for which a process is ended, before the answer that it owes. */
const offences: Readonly<Record<string, readonly Frame[]>> = {
  "a header that makes no sense": [{ header: { type: "nonsense" } }],
  "an answer to another request": [{ header: { type: "ended", request: 7 } }],
  "a second start": times(2, { header: { type: "ready" } }),
  "more calls than one command may have": times(1_001, call(encodePack({}))),
  "a call that is too large": [call(encodePack("x".repeat(65 * 1024)))],
  "printed text too often": times(20_001, printed),
  "printed text that makes no sense": [{ header: { type: "printed", request: 1 } }],
};

for (const [name, frames] of Object.entries(offences)) {
  Deno.test(`an end of a command is not taken behind ${name}`, async () => {
    const rig = scriptedKeeper();
    const session = new ProcessSession({ keeper: rig.keeper, memoryMib: 64 });
    const onCall = () => Promise.resolve(new Uint8Array(0));
    const onPrinted = (pack: Uint8Array) => assert.ok(pack.length > 0);
    const answer = session.request({ type: "run", body: encodePack({}), timeMs: 1_000, onCall, onPrinted });
    rig.say([...frames, { header: { type: "ended", request: 1 } }]);
    rig.end();
    await assert.rejects(answer, (error) => error instanceof ProcessEnded && error.outcome === "failed");
    assert.equal(rig.kills, 1);
  });
}

Deno.test("an end of a command is not taken behind a kill", async () => {
  const rig = scriptedKeeper();
  const session = new ProcessSession({ keeper: rig.keeper, memoryMib: 64 });
  const answer = session.request({ type: "run", body: encodePack({}), timeMs: 1_000 });
  session.kill();
  rig.say([{ header: { type: "ended", request: 1 } }]);
  rig.end();
  await assert.rejects(answer, (error) => error instanceof ProcessEnded && error.outcome === "stopped");
});

const output: Frame = {
  header: { type: "output", request: 1, name: "stdout" },
  body: new Uint8Array(4 * MIB),
};
const exited: Frame = { header: { type: "exited", request: 1, code: 0 } };

/** Reasons to end the files of a container in bubblewrap, before the end of the program that runs on them. */
const boxOffences: Readonly<
  Record<string, (rig: ReturnType<typeof scriptedKeeper>, box: BoxSession) => void>
> = {
  "more output than a program may have": (rig) => rig.say(times(8, output)),
  "a kill": (_rig, box) => box.kill("failed"),
};

for (const [name, offend] of Object.entries(boxOffences)) {
  Deno.test(`an end of a program in bubblewrap is not taken behind ${name}`, async () => {
    const rig = scriptedKeeper();
    const box = new BoxSession({ keeper: rig.keeper, memoryMib: 64 });
    const result = box.run({ program: "load", parts: [new Uint8Array(0)], timeMs: 1_000 });
    offend(rig, box);
    rig.say([exited]);
    rig.end();
    await assert.rejects(result, (error) => error instanceof ProcessEnded && error.outcome === "failed");
    assert.equal(rig.kills, 1);
  });
}
