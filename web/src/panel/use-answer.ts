/** An answer asked for when a panel is opened, with the three states a list has until it is there. */
import { useEffect, useState } from "preact/hooks";

export type Answer<T> = { state: "waiting" } | { state: "there"; value: T } | { state: "failed"; error: unknown };

export function useAnswer<T>(ask: () => Promise<T>, about: unknown): [answer: Answer<T>, again: () => void] {
  const [answer, setAnswer] = useState<Answer<T>>({ state: "waiting" });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    setAnswer({ state: "waiting" });
    ask().then(
      (value) => isCurrent && setAnswer({ state: "there", value }),
      (error: unknown) => isCurrent && setAnswer({ state: "failed", error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [about, turn]);
  return [answer, () => setTurn(turn + 1)];
}
