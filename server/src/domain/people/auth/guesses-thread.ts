/** The thread of password-guesses.ts: estimates how many guesses each password it is sent would withstand. */
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import * as common from "@zxcvbn-ts/language-common";
import * as english from "@zxcvbn-ts/language-en";
import { serveThread } from "../../../platform/idle-thread.ts";
import type { EstimateRequest } from "./password-guesses.ts";

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  // Each substitution ("4" for "a" or "h") is tried on the whole password; 100, the default, take a second.
  l33tMaxSubstitutions: 10,
});

serveThread(({ password, ownNames }: EstimateRequest) => estimator.check(password, ownNames).guesses);
