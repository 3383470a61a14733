/** Lists of an export can be read several times, but what is left out of them is noted once. */
import type { NoteSkipped } from "../source.ts";

const ignore: NoteSkipped = () => undefined;

/** A function that returns the given one for the first reading of a list, and one that does nothing for later ones. */
export function firstNotes(noteSkipped: NoteSkipped): (list: string) => NoteSkipped {
  const read = new Set<string>();
  return (list) => {
    if (read.has(list)) return ignore;
    read.add(list);
    return noteSkipped;
  };
}
