/**
 * Estimates with zxcvbn how many guesses a password withstands, as the protocol asks. Its dictionaries take half a second
 * to load and 70 MB, and a malicious password takes it a tenth of a second. So it runs in its own thread.
 */
import { Worker } from "node:worker_threads";
import { IdleThread } from "../../../platform/idle-thread.ts";

export interface EstimateRequest {
  password: string;
  ownNames: string[];
}

/** The work grows faster than the length, so of a longer password only the beginning and the end are estimated. */
const maxCharacters = 40;

const thread = new IdleThread<EstimateRequest, number>(
  () => new Worker(new URL("./guesses-thread.ts", import.meta.url)),
);

/** The whole password is at least as hard to guess as any part of it. */
export async function countGuesses(password: string, ownNames: string[]): Promise<number> {
  const beginning = await thread.ask({ password: password.slice(0, maxCharacters), ownNames });
  if (password.length <= maxCharacters) return beginning;
  return Math.max(beginning, await thread.ask({ password: password.slice(-maxCharacters), ownNames }));
}
