/** Bot storage: key-value pairs that a bot keeps on the server between its runs. */
import { z } from "zod";
import { endpoint, fewValues, json, list } from "./endpoint.ts";

export const maxBotStorageLength = 10_000_000;

const area = "Bots";
const storage = z.record(z.string(), z.string());

export const getBotStorage = endpoint({
  operation: "get-bot-storage",
  method: "GET",
  path: "/bot_storage",
  auth: "user",
  scope: "account",
  area,
  summary: "Get stored values",
  description: "The values that the caller has stored.",
  params: { keys: json(list(z.string())).optional().describe("Which keys; all of them when left out.") },
  returns: { storage: storage.describe("The values by key.") },
});

export const updateBotStorage = endpoint({
  operation: "update-bot-storage",
  method: "PUT",
  path: "/bot_storage",
  auth: "user",
  scope: "account",
  area,
  summary: "Store values",
  description: `Store values under keys. All that an account stores, keys included, is ${maxBotStorageLength} characters at most.`,
  params: { storage: json(storage, fewValues).describe("The values by key. Other keys keep theirs.") },
  returns: {},
});

export const removeBotStorage = endpoint({
  operation: "remove-bot-storage",
  method: "DELETE",
  path: "/bot_storage",
  auth: "user",
  scope: "account",
  area,
  summary: "Remove stored values",
  description: "Delete stored values.",
  params: { keys: json(list(z.string())).optional().describe("Which keys; all of them when left out.") },
  returns: {},
});

export const endpoints = [getBotStorage, updateBotStorage, removeBotStorage];
