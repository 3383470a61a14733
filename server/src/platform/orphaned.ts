/**
 * npm and npx start programs through a shell and forward signals only to that shell. It exits, and the program would keep
 * running unnoticed. So a program started by npm treats the exit of its parent as a signal to stop.
 */
const watchMilliseconds = 500;

/** Read when the process starts, because the parent may be gone later. */
const parent = process.ppid;

/** Calls back once when the parent is gone, but only if npm started this process. */
export function whenOrphaned(callback: () => void): void {
  if (process.env["npm_command"] === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, watchMilliseconds).unref();
}
