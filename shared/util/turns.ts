/** Whose turn it is: long pieces of work, whichever request they belong to, are done one at a time between pauses. */

/** Lets other work run. Who shares it shares its turns. */
export type Pause = () => Promise<void>;

/** How many wait for a turn, and the end of the last turn that is planned. */
interface Queue {
  waiting: number;
  last: Promise<void>;
}

const queues = new WeakMap<Pause, Queue>();

function queueOf(pause: Pause): Queue {
  let queue = queues.get(pause);
  if (queue === undefined) queues.set(pause, queue = { waiting: 0, last: Promise.resolve() });
  return queue;
}

/**
 * Resolves when it is the caller's turn, which lasts until it waits again, behind so many pauses. A turn has to be taken
 * at once: the pauses behind it begin with the next task.
 */
export function nextTurn(pause: Pause, pauses = 1): Promise<void> {
  const queue = queueOf(pause);
  queue.waiting++;
  const own = queue.last.then(async () => {
    for (let taken = 0; taken < pauses; taken++) await pause();
  });
  // A pause that fails is told to its caller; those behind it have theirs.
  const end = () => void queue.waiting--;
  queue.last = own.then(end, end);
  return own;
}

/** Whether somebody waits for a turn. */
export const isTurnAwaited = (pause: Pause): boolean => queueOf(pause).waiting > 0;
