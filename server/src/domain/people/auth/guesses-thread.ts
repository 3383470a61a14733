/** The thread of password-guesses.ts: estimates how many guesses each password it is sent would withstand. */
import { parentPort } from "node:worker_threads";
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import * as common from "@zxcvbn-ts/language-common";
import * as english from "@zxcvbn-ts/language-en";
import type { Estimate, EstimateRequest } from "./password-guesses.ts";

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  // Each substitution ("4" for "a" or "h") is tried on the whole password; 100, the default, take a second.
  l33tMaxSubstitutions: 10,
});

parentPort?.on("message", ({ id, password, ownNames }: EstimateRequest) => {
  const { guesses } = estimator.check(password, ownNames);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage({ id, guesses } satisfies Estimate);
});
