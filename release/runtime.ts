/** How a release's packages start Node: server/src/platform/idle-memory.ts collects garbage when a process is idle. */
export const runtimeFlags = ["--expose-gc"];
