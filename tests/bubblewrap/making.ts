/** Moments in which what runs in a container is being made, for tests of its end. */

type Chain = readonly string[];

/** Parts of a container that a keeper starts. */
export const madeKinds = ["holder", "forwarder", "command"] as const;
export type MadeKind = (typeof madeKinds)[number];

/** A moment of its making. */
export interface Making {
  readonly kind: MadeKind;
  /** Program of the chain that has not begun yet; `set up`: bubblewrap has not set up the first process; or it runs. */
  readonly before: string;
  /** Stands in the arguments of all processes of the container that the keeper can see. */
  readonly mark: string;
}

/** Each starts with the end of the input, which is that of the keeper too. */
const WAIT = ["/bin/bash", "-c", 'read -r line; exec "$@"', "bash"] as const;

const steps: Readonly<Record<MadeKind, Chain>> = {
  holder: ["/bin/bash", "/usr/bin/unshare", "/bin/sh", "runs"],
  forwarder: [
    "/bin/bash",
    "/usr/bin/nsenter",
    "/usr/bin/setsid",
    "/usr/bin/nice",
    "/usr/bin/bwrap",
    "set up",
    "runs",
  ],
  command: [
    "/usr/bin/nsenter",
    "/usr/bin/setsid",
    "/bin/bash",
    "/usr/bin/nice",
    "/usr/bin/bwrap",
    "set up",
    "runs",
  ],
};

export const makings: readonly Omit<Making, "mark">[] = madeKinds.flatMap((kind) =>
  steps[kind].map((before) => ({ kind, before }))
);

/** Programs that make what is in the container, outside of it. */
const makers = ["/usr/bin/unshare", "/usr/bin/nsenter"] as const;

/** Whether something of it is in the container by then: until then, its end waits for that. */
export function isInside({ kind, before }: Pick<Making, "kind" | "before">): boolean {
  const chain = steps[kind];
  return chain.indexOf(before) > chain.findIndex((program) => makers.some((maker) => maker === program));
}

/** The chain, which waits in that moment. */
export function waiting(chain: Chain, before: string): Chain {
  if (before === "runs") return chain;
  const at = chain.indexOf(before === "set up" ? "/usr/bin/bwrap" : before);
  if (before !== "set up") return [...chain.slice(0, at), ...WAIT, ...chain.slice(at)];
  const kept = chain.filter((word) => word !== "--disable-userns");
  const behind = kept.indexOf("/usr/bin/bwrap") + 1;
  return [...kept.slice(0, behind), "--userns-block-fd", "0", "--info-fd", "1", ...kept.slice(behind)];
}
