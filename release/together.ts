/** Waits for the end of all, even if one fails, so that nobody removes a folder that another one still uses. */
export async function together(steps: Promise<void>[]): Promise<void> {
  for (const step of await Promise.allSettled(steps)) if (step.status === "rejected") throw step.reason;
}
