/** The state of a button that requests something: whether it is busy, and why the last attempt failed. */
import { useRef, useState } from "preact/hooks";
import { reasonOf } from "../store/reasons.ts";

export interface Action {
  isBusy: boolean;
  error: string | undefined;
  setError: (error: string | undefined) => void;
  /** Resolves to whether it succeeded. Does nothing while it is busy. */
  run: (request: () => Promise<unknown>) => Promise<boolean>;
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  // State is read from the last render, which may be older than the last click.
  const isRunning = useRef(false);
  return {
    isBusy,
    error,
    setError,
    run: async (request) => {
      if (isRunning.current) return false;
      isRunning.current = true;
      setBusy(true);
      setError(undefined);
      try {
        await request();
        return true;
      } catch (failure) {
        setError(reasonOf(failure));
        return false;
      } finally {
        isRunning.current = false;
        setBusy(false);
      }
    },
  };
}
