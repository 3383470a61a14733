/** Alert words: a user is notified of messages that contain one of them. */
import { z } from "zod";
import { endpoint, json, list, textUpTo } from "./endpoint.ts";

export const maxAlertWordLength = 100;
/** Limited, because each message is searched for the alert words of all users. */
export const maxAlertWords = 1000;

const words = z.array(z.string()).describe("All of the caller's alert words, in the order they were added.");
const given = json(list(textUpTo(maxAlertWordLength), maxAlertWords));

export const getAlertWords = endpoint({
  operation: "get-alert-words",
  method: "GET",
  path: "/users/me/alert_words",
  auth: "user",
  scope: "account",
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
  scope: "account",
  area: "Alert words",
  summary: "Add alert words",
  description: "Add alert words. New messages that contain one get the has_alert_word flag for the caller.",
  params: {
    alert_words: given.describe("Words or phrases. Existing ones, compared case-insensitively, stay unchanged."),
  },
  returns: { alert_words: words },
});

export const removeAlertWords = endpoint({
  operation: "remove-alert-words",
  method: "DELETE",
  path: "/users/me/alert_words",
  auth: "user",
  scope: "account",
  area: "Alert words",
  summary: "Remove alert words",
  description: "Remove some of the caller's alert words.",
  params: { alert_words: given.describe("Words or phrases, compared case-insensitively. Unknown ones are ignored.") },
  returns: { alert_words: words },
});

export const alertWordState = { alert_words: words };

export const alertWordsEvent = z.strictObject({ type: z.literal("alert_words"), alert_words: words });

export const endpoints = [getAlertWords, addAlertWords, removeAlertWords];
