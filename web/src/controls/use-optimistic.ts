/**
 * A value that is not a pending operation (store/pending.ts) but still shown as changed at once: until the stored one
 * changes, or the change is refused.
 */
import { useState } from "preact/hooks";
import { useSaving } from "./use-saving.ts";

export function useOptimistic<Value>(stored: Value, request: (value: Value) => Promise<unknown>) {
  const { saved, error, save } = useSaving();
  const [sent, setSent] = useState<{ value: Value; before: Value }>();
  const onChange = (value: Value): void => {
    setSent({ value, before: stored });
    void save(() => request(value)).then((isSaved) => {
      if (!isSaved) setSent(undefined);
    });
  };
  return { value: sent && Object.is(sent.before, stored) ? sent.value : stored, onChange, saved, error };
}
