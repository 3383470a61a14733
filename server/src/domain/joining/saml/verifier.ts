/**
 * Verifies SAML responses in a thread: parsing XML of strangers must not hold up other requests, and must not take longer
 * than a few seconds.
 */
import { Worker } from "node:worker_threads";
import { IdleThread, ThreadProblem } from "../../../platform/idle-thread.ts";
import { ProviderProblem } from "../identity-providers/provider-problem.ts";
import type { Statement, Verification } from "./verify.ts";

const thread = new IdleThread<Verification, Statement>(
  () => new Worker(new URL("./verify-thread.ts", import.meta.url)),
  { timeoutMilliseconds: 10_000 },
);

export async function verifyInThread(verification: Verification): Promise<Statement> {
  try {
    return await thread.ask(verification);
  } catch (error) {
    if (!(error instanceof ThreadProblem)) throw error;
    throw new ProviderProblem(`verifying the SAML response failed: ${error.message}`);
  }
}
