/**
 * Reads the rest of a rejected request's body, because many clients read the response only after sending all of it. Reading
 * as fast as a client can send would take the processor from everybody else, so it is read slowly.
 */
import type { IncomingMessage } from "node:http";

/** After each chunk of up to 64 KiB: at most about 13 MB per second. */
const pauseMilliseconds = 5;

export function discardSlowly(body: IncomingMessage): void {
  if (body.complete) return;
  const resume = (): void => void body.resume();
  body.on("data", () => {
    body.pause();
    setTimeout(resume, pauseMilliseconds);
  });
  body.on("error", () => undefined); // the connection may be lost
}
