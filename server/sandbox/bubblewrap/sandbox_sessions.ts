/**
 * Makes what runs in sandboxes give way to the gateway. Where Linux shares the processor among sessions
 * (`sched_autogroup`), the niceness of a process counts within its own session alone, any program may begin another
 * session, and each has a share of its own; so the more of them there are in all sandboxes, the nicer each has to be.
 */

import { descendants, hasOwnRoot, readProc } from "./process_tree.ts";

/** Where other programs use the machine too, a command must still get on: one session beside one has a tenth of it. */
const LEAST_NICENESS = 10;
const MOST_NICENESS = 19;
/** So many sessions of the least niceness leave the gateway four fifths of a busy machine. */
const FREE_SESSIONS = 2;
/** Linux gives a session a share that is smaller by this factor for each step of niceness. */
const SHARE_PER_STEP = 1.25;

/** Niceness at which so many sessions take no more than {@link FREE_SESSIONS}, up to the most that there is. */
export function sessionNiceness(sessions: number): number {
  const steps = Math.log(Math.max(1, sessions / FREE_SESSIONS)) / Math.log(SHARE_PER_STEP);
  return Math.min(MOST_NICENESS, LEAST_NICENESS + Math.ceil(steps));
}

export class SandboxSessions {
  /** Number of sessions in each sandbox, by the process that has made it. */
  readonly #counts = new Map<number, number>();

  /** At every look: a sandbox may have begun more sessions. `first` is the sandbox's first process. */
  giveWay(bwrap: number, first: number): void {
    if (!hasOwnRoot(first)) return;
    const groups = descendants(first).map((pid) => ({ pid, ...groupOf(pid) }));
    this.#counts.set(bwrap, new Set(groups.map(({ name }) => name)).size);
    const wanted = sessionNiceness([...this.#counts.values()].reduce((sum, count) => sum + count, 0));
    for (const { pid, niceness } of groups) {
      if (niceness < wanted) setSessionNiceness(pid, wanted);
    }
  }

  /** Nothing runs in this sandbox any more. */
  leave(bwrap: number): void {
    this.#counts.delete(bwrap);
  }
}

/** The session of a process; one without a name cannot be made nicer: the process has ended, or Linux has no such groups. */
function groupOf(pid: number): { readonly name: string; readonly niceness: number } {
  const [, name = "", niceness] = /^(\S+) nice (-?\d+)\n$/.exec(readProc(`/proc/${pid}/autogroup`)) ?? [];
  return { name, niceness: niceness === undefined ? Infinity : Number(niceness) };
}

function setSessionNiceness(pid: number, niceness: number): void {
  try {
    Deno.writeTextFileSync(`/proc/${pid}/autogroup`, String(niceness), { create: false });
  } catch (_error) {
    // It ends in this moment, or Linux takes no more changes now: the next look tries again.
  }
}
