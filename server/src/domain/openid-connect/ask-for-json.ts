/** A question to the provider, answered in JSON, in time, and not at length. */

/** The provider did not do its part. What it was is for the log: people can do nothing about it. */
export class ProviderProblem extends Error {
  override name = "ProviderProblem";
}

const timeoutMilliseconds = 10_000;
const longestAnswer = 1024 ** 2;

interface Question {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Throws a ProviderProblem where there is no such answer. */
export async function askForJson(url: string, question: Question = {}): Promise<unknown> {
  const headers = { accept: "application/json", ...question.headers };
  // Where the provider is was looked up at the provider: it leads nowhere else.
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  try {
    const answer = await fetch(url, { ...question, headers, redirect: "error", signal });
    const text = await readText(answer);
    if (!answer.ok) throw new ProviderProblem(`${url} answered ${answer.status}`);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof ProviderProblem) throw error;
    throw new ProviderProblem(`${url} gave no answer of use`, { cause: error });
  }
}

async function readText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > longestAnswer) throw new ProviderProblem(`${answer.url} answered more than ${longestAnswer} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
