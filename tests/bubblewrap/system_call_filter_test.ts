/** The filter of system calls as a program: run call by call, for both architectures. */

import assert from "node:assert/strict";
import {
  type Architecture,
  missingCalls,
  refusedCalls,
  systemCallFilter,
} from "../../server/sandbox/bubblewrap/system_call_filter.ts";

interface SystemCall {
  readonly number: number;
  /** As the kernel names it; that of the filter where it is absent. */
  readonly architecture?: number;
  /** Arguments of 64 bits. */
  readonly args?: readonly bigint[];
}

const auditNumbers = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;
const architectures = ["x86_64", "aarch64"] as const;

/** Calls that are judged by their arguments: clone, ioctl, socket, personality. */
const argumentCalls: Readonly<Record<Architecture, readonly [number, number, number, number]>> = {
  x86_64: [56, 16, 41, 135],
  aarch64: [220, 29, 198, 92],
};

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const EAFNOSUPPORT = 0x00050061;

/** `seccomp_data`: number, architecture, instruction pointer and six arguments, little-endian. */
function callData(
  of: Architecture,
  { number, architecture = auditNumbers[of], args = [] }: SystemCall,
): DataView {
  const view = new DataView(new ArrayBuffer(64));
  view.setInt32(0, number, true);
  view.setUint32(4, architecture, true);
  for (const [index, arg] of args.entries()) view.setBigUint64(16 + 8 * index, arg, true);
  return view;
}

/** Runs the classic BPF program as the kernel does: every instruction that it does not know fails the test. */
function verdict(of: Architecture, call: SystemCall): number {
  const bytes = systemCallFilter(of);
  const program = new DataView(bytes.buffer);
  const data = callData(of, call);
  let accumulator = 0;
  for (let at = 0; at < bytes.length; at += 8) {
    const value = program.getUint32(at + 4, true);
    const jump = (isTrue: boolean) => at += 8 * program.getUint8(at + (isTrue ? 2 : 3));
    switch (program.getUint16(at, true)) {
      case 0x20:
        accumulator = data.getUint32(value, true);
        break;
      case 0x15:
        jump(accumulator === value);
        break;
      case 0x35:
        jump(accumulator >= value);
        break;
      case 0x45:
        jump((accumulator & value) !== 0);
        break;
      case 0x06:
        return value;
      default:
        assert.fail(`instruction ${at / 8} is unknown`);
    }
  }
  return assert.fail("the program has no end");
}

for (const [column, of] of architectures.entries()) {
  Deno.test(`the filter refuses its calls and lets all others pass, on ${of}`, () => {
    const refused = new Map<number, number>();
    for (const [calls, answer] of [[refusedCalls, EPERM], [missingCalls, ENOSYS]] as const) {
      for (const numbers of Object.values(calls)) {
        const number = numbers[column];
        if (number !== undefined) refused.set(number, answer);
      }
    }
    assert(refused.size > 60);
    for (let number = 0; number < 600; number++) {
      if (argumentCalls[of].includes(number)) continue;
      assert.equal(verdict(of, { number }), refused.get(number) ?? ALLOW, `call ${number}`);
    }
  });

  const [clone, ioctl, socket, personality] = argumentCalls[of];
  const rows: readonly (readonly [string, SystemCall, number])[] = [
    ["a thread", { number: clone, args: [0x3d0f00n] }, ALLOW],
    ["a process", { number: clone, args: [0x1200011n] }, ALLOW],
    ...[0x20000n, 0x2000000n, 0x4000000n, 0x8000000n, 0x10000000n, 0x20000000n, 0x40000000n].map((flag) =>
      [`a namespace by ${flag}`, { number: clone, args: [flag | 17n] }, EPERM] as const
    ),
    ["the size of a terminal", { number: ioctl, args: [1n, 0x5413n] }, ALLOW],
    ...[0x5412n, 0x541cn, 0x5423n].flatMap((request) =>
      // The kernel looks at the lower half alone.
      [request, request | 0xff00000000n].map((value) =>
        [`request ${value} of a terminal`, { number: ioctl, args: [1n, value] }, EPERM] as const
      )
    ),
    ...[1n, 2n, 10n, 16n].map((family) =>
      [`a socket of family ${family}`, { number: socket, args: [family] }, ALLOW] as const
    ),
    ...[0n, 17n, 31n, 38n, 40n, 44n].map((family) =>
      [`a socket of family ${family}`, { number: socket, args: [family] }, EAFNOSUPPORT] as const
    ),
    ...[0n, 8n, 0xffffffffn].map((value) =>
      [`personality ${value}`, { number: personality, args: [value] }, ALLOW] as const
    ),
    ["a fixed layout of memory", { number: personality, args: [0x40000n] }, EPERM],
    ["another architecture", { number: 39, architecture: 0x40000003 }, KILL],
  ];
  Deno.test(`the filter looks at arguments, on ${of}`, () => {
    for (const [name, call, answer] of rows) assert.equal(verdict(of, call), answer, name);
  });
}

Deno.test("the filter has no call of the x32 kind", () => {
  for (const number of [0x40000000, 0x40000000 + 165, 0x7fffffff]) {
    assert.equal(verdict("x86_64", { number }), ENOSYS);
  }
});

Deno.test("the filter is as short as the kernel takes it", () => {
  for (const of of architectures) assert(systemCallFilter(of).length / 8 <= 4_096);
});
