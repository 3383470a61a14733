/** A process with some of the clients, because a process cannot open a file for each of ten thousand. Started by crowd.ts. */
import type { Account } from "../request.ts";
import { Client, type Tally } from "./client.ts";

export interface Order {
  accounts: Account[];
  urls: string[];
}

/** Connections that are opened at the same time would not all be accepted. */
const arrivalMilliseconds = 2;
const reportMilliseconds = 100;

process.once("message", ({ accounts, urls }: Order) => {
  const nodes = urls.map((url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) }));
  const tally: Tally = {
    clients: accounts.length,
    live: 0,
    liveOnFirst: 0,
    lost: 0,
    registrations: 0,
    refusals: 0,
    liveAt: 0,
  };
  for (const [index, account] of accounts.entries())
    setTimeout(() => new Client(account, nodes, index, tally).run(), index * arrivalMilliseconds);
  setInterval(() => process.send?.(tally), reportMilliseconds);
});
process.on("disconnect", () => process.exit());
