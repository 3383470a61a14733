/** Words a user wants to be alerted by, wherever they are written. */
import { z } from "zod";
import { endpoint, json, textUpTo } from "./endpoint.ts";

export const maxAlertWordLength = 100;
/** Each message is searched for the words of everybody. */
export const maxAlertWords = 1000;

const words = z.array(z.string()).describe("All of the caller's alert words, in the order they were added.");
const given = json(z.array(textUpTo(maxAlertWordLength)).max(maxAlertWords));

export const getAlertWords = endpoint({
  operation: "get-alert-words",
  method: "GET",
  path: "/users/me/alert_words",
  auth: "user",
  area: "Alert words",
  summary: "Get alert words",
  description: "The words and phrases that alert the caller.",
  params: {},
  returns: { alert_words: words },
});

export const addAlertWords = endpoint({
  operation: "add-alert-words",
  method: "POST",
  path: "/users/me/alert_words",
  auth: "user",
  area: "Alert words",
  summary: "Add alert words",
  description:
    "Be alerted by more words. Messages that hold one have the has_alert_word flag for the caller from now on.",
  params: {
    alert_words: given.describe("Words or phrases. Those the caller has already, in whichever case, stay as they are."),
  },
  returns: { alert_words: words },
});

export const removeAlertWords = endpoint({
  operation: "remove-alert-words",
  method: "DELETE",
  path: "/users/me/alert_words",
  auth: "user",
  area: "Alert words",
  summary: "Remove alert words",
  description: "No longer be alerted by some words.",
  params: { alert_words: given.describe("Words or phrases, in whichever case. Unknown ones are passed over.") },
  returns: { alert_words: words },
});

export const alertWordState = { alert_words: words };

export const alertWordsEvent = z.strictObject({ type: z.literal("alert_words"), alert_words: words });
