/**
 * The words a search ignores, so that clients can explain why one of them finds nothing. PostgreSQL's text search reads
 * them from a file that a client of the database cannot read, so those of the default language are listed here. For
 * other languages the list is empty.
 */
import type { StatePart } from "../../../events/state-part.ts";

export const englishStopWords: string[] = `
  a about above after again against all am an and any are as at be because been before being below
  between both but by can did do does doing don down during each few for from further had has have
  having he her here hers herself him himself his how i if in into is it its itself just me more most
  my myself no nor not now of off on once only or other our ours ourselves out over own s same she
  should so some such t than that the their theirs them themselves then there these they this those
  through to too under until up very was we were what when where which while who whom why will with
  you your yours yourself yourselves
`
  .trim()
  .split(/\s+/);

export const stopWordState: StatePart = {
  types: ["stop_words"],
  sharedBy: () => "",
  load: async (_db, { user }) => ({
    stop_words: user.realm.search_language === "english" ? englishStopWords : [],
  }),
};
