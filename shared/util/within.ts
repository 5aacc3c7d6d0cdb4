/** Waits with an end: what others have to do they may never come to. */

interface WithinOptions {
  readonly clock: { after(ms: number, run: () => void): () => void };
  /** How long the wait lasts at most. */
  readonly ms: number;
}

interface LateOptions extends WithinOptions {
  /** Makes the error of a wait that was too short. */
  readonly late: () => Error;
}

/**
 * Waits for the result of the work; rejects with `late` when it comes too late. What it comes to later goes nowhere.
 */
export function within<T>(work: Promise<T>, { clock, ms, late }: LateOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(late()));
    work.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

/** Whether the work ended in time. Rejects as it does; a failure that comes later goes nowhere. */
export function endsWithin(work: Promise<unknown>, { clock, ms }: WithinOptions): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(false));
    work.then(
      () => {
        cancel();
        resolve(true);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
