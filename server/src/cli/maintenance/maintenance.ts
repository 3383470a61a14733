import { beginMaintenance, endMaintenance, maxMaintenanceMessage, readMaintenance } from "../../http/maintenance.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { command, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";
import { formatTime } from "../format.ts";

export const maintenanceOn = command({
  options: {
    message: {
      type: "string",
      value: "TEXT",
      default: "This server is read-only for maintenance. Please try again later.",
      description: "What people see when they try to change something; the web client shows it as a banner.",
    },
  },
  details: [
    "Takes effect on all nodes within two seconds, without a restart. People can sign in, read and receive events; requests " +
      "that change something fail with status 503 and the code READ_ONLY, which clients retry. Commands and workers " +
      "still change data: stop the workers if nothing at all may change.",
  ],
  examples: ['skein maintenance on --message "Read-only until 22:00 UTC, while we move to a new database."'],
  run: async ({ options, answer }) => {
    const message = options.message.trim();
    if (message === "" || message.length > maxMaintenanceMessage)
      throw new UsageError(`--message must have 1 to ${maxMaintenanceMessage} characters.`);
    await withDatabase((db) => transaction(db, "begin maintenance", (tx) => beginMaintenance(tx, message)));
    answer({ read_only: true, message }, "All nodes are read-only. End it with `skein maintenance off`.");
  },
});

export const maintenanceOff = command({
  options: {},
  run: async ({ answer }) => {
    const wasOn = await withDatabase((db) => transaction(db, "end maintenance", endMaintenance));
    answer({ read_only: false }, wasOn ? "All nodes accept changes again." : "The server was not read-only.");
  },
});

export const maintenanceStatus = command({
  options: {},
  run: async ({ answer }) => {
    const state = await withDatabase(readMaintenance);
    answer(
      { read_only: state !== undefined, ...state },
      state ? `Read-only since ${formatTime(state.since)}: ${state.message}` : "The server accepts changes.",
    );
  },
});
