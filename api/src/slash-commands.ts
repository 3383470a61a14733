/** Commands that a user types instead of a message, carried out by the server. */
import { z } from "zod";
import { endpoint, textUpTo } from "./endpoint.ts";

export const runSlashCommand = endpoint({
  operation: "run-slash-command",
  method: "POST",
  path: "/zcommand",
  auth: "user",
  scope: "account",
  area: "Users",
  summary: "Run a command",
  description:
    "Do what a command says: /ping does nothing, /dark and /light choose the colors, /fluid-width and /fixed-width " +
    "the layout of the web page.",
  params: { command: textUpTo(100).describe("The command, with its slash.") },
  returns: { msg: z.string().describe("A message to show to the user; may be empty.") },
});

export const endpoints = [runSlashCommand];
