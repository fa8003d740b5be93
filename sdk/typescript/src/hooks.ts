/** The parts of the runtime that a client uses. Tests replace them. */
export interface Hooks {
  fetch: typeof globalThis.fetch;
  /** Waits for milliseconds; rejects with the signal's reason if it aborts before. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /** Returns a number from 0 up to, not including, 1. */
  random(): number;
}

/** The hooks of a client without its own. */
export const runtime: Hooks = {
  fetch: (...args) => globalThis.fetch(...args),
  sleep,
  now: () => Date.now(),
  random: () => Math.random(),
};

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}
