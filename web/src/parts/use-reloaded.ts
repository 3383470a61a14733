/** Fetches data when a view opens, and again after changes. What was fetched stays until the next response. */
import { useEffect, useRef, useState } from "preact/hooks";

export interface Reloaded<T> {
  /** Undefined until it is fetched. */
  value: T | undefined;
  failure: unknown;
  reload: () => Promise<void>;
}

export function useReloaded<T>(load: () => Promise<T>, key: unknown): Reloaded<T> {
  const [value, setValue] = useState<T>();
  const [failure, setFailure] = useState<unknown>();
  /** Of two requests, the later one's outcome is shown. */
  const last = useRef(0);
  const reload = async (): Promise<void> => {
    const turn = ++last.current;
    setFailure(undefined);
    try {
      const fetched = await load();
      if (turn === last.current) setValue(() => fetched);
    } catch (error) {
      if (turn === last.current) setFailure(error);
    }
  };
  useEffect(() => {
    setValue(undefined);
    void reload();
    return () => {
      last.current++;
    };
  }, [key]);
  return { value, failure, reload };
}
