import pg from "pg";
import { listHosts } from "../../domain/data/cells/list-hosts.ts";
import { sealCheck } from "../../domain/data/cells/secret-check.ts";
import { assignIdBlock, firstIdOf, maxCell } from "../../platform/db/id-blocks.ts";
import { SecretBox } from "../../platform/secret-box.ts";
import { command, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";
import { withDirectory } from "./directory.ts";

export const cellAdd = command({
  args: ["NAME"],
  options: {
    number: {
      type: "number",
      value: "NUMBER",
      required: true,
      range: [0, maxCell],
      description: "The cell's number, never used before. 0 is an existing installation.",
    },
    address: {
      type: "string",
      value: "URL",
      required: true,
      description:
        "Where routers reach its nodes or its load balancer: http://10.0.1.5:9991. Several are separated by commas.",
    },
  },
  details: [
    "Run it with the settings of the cell's server (SKEIN_DATABASE_URL, SKEIN_SECRET) and SKEIN_DIRECTORY_URL. A cell other than 0 " +
      "needs a database without organizations, in which `skein migrate` has run: its ids then begin at NUMBER × 2^40, so that ids " +
      "never change when an organization moves.",
    "Organizations that the cell has are listed in the directory, and workers with SKEIN_DIRECTORY_URL keep that list up to date. " +
      "Running the command again changes name and addresses.",
  ],
  examples: [
    "skein cell add first --number 0 --address http://10.0.1.5:9991",
    "skein cell add second --number 1 --address http://10.0.2.5:9991,http://10.0.2.6:9991",
  ],
  run: async ({ args: [name = ""], options, answer }) => {
    const { number } = options;
    if (!/^[a-z0-9-]{1,40}$/.test(name)) throw new UsageError("A cell's name has 1 to 40 characters: a-z, 0-9 and -.");
    const addresses = readAddresses(options.address);
    const elsewhere = await withDirectory((directory) =>
      withDatabase(async (db, config) => {
        const client = new pg.Client({ connectionString: config.databaseUrl, application_name: "skein command" });
        await client.connect();
        try {
          await assignIdBlock(client, number, sealCheck(new SecretBox(config.secret, config.secondSecret)));
        } finally {
          await client.end();
        }
        await directory.putCell({ number, name, addresses });
        return listHosts(db, directory, number);
      }),
    );
    const warning = elsewhere.map((host) => `\nThe host name ${host} is listed under another cell, and stays there.`);
    answer(
      { number, name, addresses, first_id: firstIdOf(number), listed_elsewhere: elsewhere },
      `Cell ${number} is ${name}, at ${addresses.join(", ")}.${warning.join("")}`,
    );
  },
});

function readAddresses(text: string): string[] {
  const addresses = text.split(",").map((address) => address.trim().replace(/\/+$/, ""));
  for (const address of addresses) {
    const url = URL.parse(address);
    if (url?.protocol !== "http:" || url.pathname !== "/" || url.search !== "" || url.username !== "")
      throw new UsageError(`--address must be URLs such as http://10.0.1.5:9991, not ${address}`);
  }
  return addresses;
}
