/** Fetches data when a view opens, with loading and failure states. */
import { useEffect, useState } from "preact/hooks";

export type Fetched<T> = { state: "loading" } | { state: "loaded"; value: T } | { state: "failed"; error: unknown };

export function useFetched<T>(load: () => Promise<T>, key: unknown): [fetched: Fetched<T>, retry: () => void] {
  const [fetched, setFetched] = useState<Fetched<T>>({ state: "loading" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    setFetched({ state: "loading" });
    load().then(
      (value) => isCurrent && setFetched({ state: "loaded", value }),
      (error: unknown) => isCurrent && setFetched({ state: "failed", error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, attempt]);
  return [fetched, () => setAttempt(attempt + 1)];
}
