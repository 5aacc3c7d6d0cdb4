/**
 * Users that own the processes of containers where the gateway is root: each has one of its own, that nobody else
 * has, because the kernel counts processes by user, and lets root do what it lets nobody do.
 */

const FIRST = 2_000_000_001;
const COUNT = 100_000_000;

let taken = 0;

/** Undefined where the gateway is no root: then its own user has no power that a container could use. */
export function nextContainerUser(): number | undefined {
  return Deno.uid() === 0 ? FIRST + taken++ % COUNT : undefined;
}
