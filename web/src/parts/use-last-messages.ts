/** Loads the last messages of a list of topics in one request. */
import type { Topic } from "../store/topics.ts";
import { useMessages } from "./use-messages.ts";

const most = 100;

export const useLastMessages = (topics: readonly Topic[]): void =>
  useMessages(topics.slice(0, most).map(({ max_id }) => max_id));
