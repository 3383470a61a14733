/**
 * How a release's packages start Node. Without traffic, most of a process's memory would be room for short-lived objects
 * that it needed only while starting, and heaps of threads that allocate little.
 */

export const runtimeFlags = ["--max-semi-space-size=4"];
export const runtimeEnvironment = ["MALLOC_ARENA_MAX=2"];
