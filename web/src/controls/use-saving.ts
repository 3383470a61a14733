/** The state of a control that saves itself: whether the last change was saved, or why it was not. */
import { useRef, useState } from "preact/hooks";
import { reasonOf } from "../store/reasons.ts";

export interface Saving {
  saved: boolean;
  error: string | undefined;
  /** Resolves to whether it was saved. */
  save: (request: () => Promise<unknown>) => Promise<boolean>;
}

export function useSaving(): Saving {
  const [state, setState] = useState<Pick<Saving, "saved" | "error">>({ saved: false, error: undefined });
  const last = useRef(0);
  return {
    ...state,
    save: async (request) => {
      const turn = ++last.current;
      // Of two changes, the later one's outcome is shown.
      const show = (next: Pick<Saving, "saved" | "error">): void => {
        if (turn === last.current) setState(next);
      };
      show({ saved: false, error: undefined });
      try {
        await request();
        show({ saved: true, error: undefined });
        return true;
      } catch (error) {
        show({ saved: false, error: reasonOf(error) });
        return false;
      }
    },
  };
}
