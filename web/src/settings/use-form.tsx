/** A form that is sent by its button: busy while it is, then a note on what was done, or the reason of a refusal. */
import { useState } from "preact/hooks";
import { reasonOf } from "../store/reasons.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./use-form.module.css";

export function useForm(send: () => Promise<string | void>) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const [done, setDone] = useState<string>();
  const run = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    setDone(undefined);
    try {
      setDone((await send()) ?? undefined);
    } catch (failure) {
      setError(reasonOf(failure));
    }
    setBusy(false);
  };
  return {
    isBusy,
    error,
    submit: () => void run(),
    /** Of the form's element. */
    props: {
      class: styles.form,
      onSubmit: (event: Event) => {
        event.preventDefault();
        void run();
      },
    },
    /** What was done. */
    outcome: (
      <p class={styles.done} role="status">
        {done !== undefined && (
          <>
            <Icon name="check" size={14} /> {done}
          </>
        )}
      </p>
    ),
  };
}
