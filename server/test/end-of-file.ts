/**
 * What helpers of tests clean up after each file. They cannot register hooks when they are loaded: the files that one
 * worker runs share the loaded modules.
 */
import type { Server } from "node:http";
import { afterAll } from "vitest";

const cleanUps: (() => unknown)[] = [];

/** Runs after the file's tests; what was registered last runs first. */
export function atEndOfFile(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp);
}

export function closeAtEndOfFile(server: Server): void {
  atEndOfFile(() => {
    server.closeAllConnections();
    server.close();
  });
}

/** Called by a setup file, hence before the tests of each file. */
export function registerCleanUp(): void {
  afterAll(async () => {
    for (let cleanUp = cleanUps.pop(); cleanUp; cleanUp = cleanUps.pop()) await cleanUp();
  });
}
