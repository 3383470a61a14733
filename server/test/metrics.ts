/** Reads what a server serves at /metrics. */

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export async function readMetrics(url: string): Promise<Sample[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, shown]) => [key, shown]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

/** The sum of the samples with this name and these labels; undefined if there are none. */
export function sumOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/** The same, read now. */
export const readSum = async (url: string, name: string, labels: Record<string, string> = {}): Promise<number> =>
  sumOf(await readMetrics(url), name, labels) ?? 0;
