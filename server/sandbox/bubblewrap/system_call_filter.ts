/**
 * The system call filter of a sandbox: a classic BPF program that `bwrap --seccomp FD` reads as `sock_filter`
 * structures of 8 bytes, little-endian. It refuses what namespaces and capabilities do not hold already.
 *
 * Refused calls answer an error, so that programs go on without them; a call of another architecture ends the program.
 */

export type Architecture = "x86_64" | "aarch64";

/** `AUDIT_ARCH_…` of the kernel. */
const auditNumbers: Readonly<Record<Architecture, number>> = { x86_64: 0xc000003e, aarch64: 0xc00000b7 };
/** Numbers of the x32 calls have this bit. */
const X32_BIT = 0x40000000;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const errno = (number: number) => 0x00050000 | number;
const EPERM = errno(1);
const ENOSYS = errno(38);
const EAFNOSUPPORT = errno(97);

/** Number of a call on each architecture; undefined where the architecture does not have it. */
type CallNumbers = readonly [x86: number | undefined, arm: number | undefined];

/** Calls that answer EPERM, whatever their arguments. */
export const refusedCalls: Readonly<Record<string, CallNumbers>> = {
  // Mounts and roots.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  swapon: [167, 224],
  swapoff: [168, 225],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  // Namespaces; clone is judged by its flags.
  unshare: [272, 97],
  setns: [308, 268],
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  // The kernel itself.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, undefined],
  query_module: [178, undefined],
  get_kernel_syms: [177, undefined],
  reboot: [169, 142],
  syslog: [103, 116],
  acct: [163, 89],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  vhangup: [153, 58],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  _sysctl: [156, undefined],
  sysfs: [139, undefined],
  uselib: [134, undefined],
  ustat: [136, undefined],
  modify_ldt: [154, undefined],
  // Interfaces with a large part of the kernel behind them.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  vmsplice: [278, 75],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  // Keys, handles, clocks, names, memory of other nodes.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  set_mempolicy_home_node: [450, 450],
};

/**
 * Calls that answer ENOSYS, so that callers fall back. The flags of clone3 lie behind a pointer; calls that io_uring
 * makes pass this filter; the memory of the others is seen by no limit.
 */
export const missingCalls: Readonly<Record<string, CallNumbers>> = {
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  memfd_secret: [447, 447],
  memfd_create: [319, 279],
  shmget: [29, 194],
  msgget: [68, 186],
};

/** The flags stand in the first argument on both architectures. */
const clone: CallNumbers = [56, 220];
/** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NAMESPACES = 0x7e020000;
const ioctl: CallNumbers = [16, 29];
/** TIOCSTI, TIOCLINUX, TIOCSETD: keystrokes for others at the terminal, and line disciplines. */
const terminalRequests = [0x5412, 0x541c, 0x5423];
const socket: CallNumbers = [41, 198];
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, which glibc asks for interfaces. Without this list a vsock leads to the hypervisor. */
const socketFamilies = [1, 2, 10, 16];
const personality: CallNumbers = [135, 92];
/** PER_LINUX, a question, and `uname` of 32 bits; not those that weaken the layout of memory. */
const personalities = [0, 0xffffffff, 8];

interface Instruction {
  readonly code: number;
  readonly value: number;
  /** Instructions to skip. */
  readonly ifTrue?: number;
  readonly ifFalse?: number;
}

interface Jumps {
  readonly ifTrue: number;
  readonly ifFalse: number;
}

const load = (offset: number): Instruction => ({ code: 0x20, value: offset });
const give = (value: number): Instruction => ({ code: 0x06, value });
const equal = (value: number, jumps: Jumps): Instruction => ({ code: 0x15, value, ...jumps });
const atLeast = (value: number, jumps: Jumps): Instruction => ({ code: 0x35, value, ...jumps });
const anyBit = (value: number, jumps: Jumps): Instruction => ({ code: 0x45, value, ...jumps });

/** Offsets in `seccomp_data`. */
const CALL_NUMBER = 0;
const ARCHITECTURE = 4;
/** The lower half of a 64-bit argument. */
const argument = (index: number) => 16 + 8 * index;

/** The body is reached by this number alone, and ends in a verdict. */
const onCall = (number: number | undefined, body: readonly Instruction[]): readonly Instruction[] =>
  number === undefined ? [] : [equal(number, { ifTrue: 0, ifFalse: body.length }), ...body];

interface ValueVerdicts {
  readonly listed: number;
  readonly other: number;
}

const onValues = (values: readonly number[], { listed, other }: ValueVerdicts): readonly Instruction[] => [
  ...values.map((value, index) => equal(value, { ifTrue: values.length - index, ifFalse: 0 })),
  give(other),
  give(listed),
];

/** The program for one architecture. */
export function systemCallFilter(architecture: Architecture): Uint8Array<ArrayBuffer> {
  const column = architecture === "x86_64" ? 0 : 1;
  const each = (calls: Readonly<Record<string, CallNumbers>>, verdict: number) =>
    Object.values(calls).flatMap((numbers) => numbers[column] ?? [])
      .flatMap((number) => [equal(number, { ifTrue: 0, ifFalse: 1 }), give(verdict)]);
  const isX86 = architecture === "x86_64";
  return assemble([
    load(ARCHITECTURE),
    equal(auditNumbers[architecture], { ifTrue: 1, ifFalse: 0 }),
    give(KILL_PROCESS),
    load(CALL_NUMBER),
    ...(isX86 ? [atLeast(X32_BIT, { ifTrue: 0, ifFalse: 1 }), give(ENOSYS)] : []),
    ...onCall(clone[column], [
      load(argument(0)),
      anyBit(CLONE_NAMESPACES, { ifTrue: 0, ifFalse: 1 }),
      give(EPERM),
      give(ALLOW),
    ]),
    ...onCall(ioctl[column], [
      load(argument(1)),
      ...onValues(terminalRequests, { listed: EPERM, other: ALLOW }),
    ]),
    ...onCall(socket[column], [
      load(argument(0)),
      ...onValues(socketFamilies, { listed: ALLOW, other: EAFNOSUPPORT }),
    ]),
    ...onCall(personality[column], [
      load(argument(0)),
      ...onValues(personalities, { listed: ALLOW, other: EPERM }),
    ]),
    ...each(missingCalls, ENOSYS),
    ...each(refusedCalls, EPERM),
    give(ALLOW),
  ]);
}

const INSTRUCTION_BYTES = 8;

function assemble(instructions: readonly Instruction[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(instructions.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, value, ifTrue = 0, ifFalse = 0 }] of instructions.entries()) {
    const offset = index * INSTRUCTION_BYTES;
    view.setUint16(offset, code, true);
    view.setUint8(offset + 2, ifTrue);
    view.setUint8(offset + 3, ifFalse);
    view.setUint32(offset + 4, value >>> 0, true);
  }
  return bytes;
}
