/** How a release's packages start Node, so that an idle process uses little memory. */

/** Lets server/src/platform/idle-memory.ts collect garbage. */
export const runtimeFlags = ["--expose-gc"];
/** By default malloc keeps a heap for each of many threads that allocate little. */
export const runtimeEnvironment = ["MALLOC_ARENA_MAX=2"];
