/** A change that is shown at once and asked for then; put back, and said so, when the server refuses. */
import type { Event } from "@skein/api/events.ts";
import { Refusal } from "../api/failures.ts";
import { t } from "../text/t.ts";
import { toast } from "../ui/toast.tsx";
import { applyEvents } from "./events.ts";

interface Change {
  event: Event;
  undo: Event;
  request: () => Promise<unknown>;
}

/** By type: of two requests that are under way at once, the server may take the later one first. */
const lines = new Map<string, Promise<void>>();

export function change({ event, undo, request }: Change): void {
  applyEvents([event]);
  const ask = async (): Promise<void> => {
    try {
      await request();
    } catch (error) {
      applyEvents([undo]);
      toast(reasonOf(error), { kind: "danger" });
    }
  };
  lines.set(event.type, (lines.get(event.type) ?? Promise.resolve()).then(ask));
}

/** What to tell people: the server's own words where it had any. */
export const reasonOf = (error: unknown): string => (error instanceof Refusal ? error.message : t("failure.noAnswer"));
