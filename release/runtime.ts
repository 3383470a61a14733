/**
 * How a release's packages start Node.
 *
 * - server/src/platform/idle-memory.ts collects garbage when a process is idle.
 * - V8 counts the buffers that connections read into, but frees those of short life with the other short-lived objects, which
 *   relays and nodes that only follow the log hardly make. It would collect the whole heap once a second: four fifths of their work.
 */
export const runtimeFlags = ["--expose-gc", "--heap-growing-percent=60"];
