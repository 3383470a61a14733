import { command, table } from "../command.ts";
import { withDirectory } from "./directory.ts";

export const cellList = command({
  options: { organizations: { type: "boolean", description: "List the host names of each cell, too." } },
  run: async ({ options, answer }) => {
    const { cells, organizations } = await withDirectory((directory) => directory.read());
    const listed = cells.map((cell) => ({
      ...cell,
      organizations: organizations.filter((organization) => organization.cell === cell.number),
    }));
    const rows = listed.map(({ number, name, addresses, organizations: own }) => [
      String(number),
      name,
      String(own.length),
      addresses.join(", "),
    ]);
    const hosts = organizations.map(({ host, cell, moving_to }) => [
      host,
      moving_to === null ? `cell ${cell}` : `cell ${cell}, moving to cell ${moving_to}`,
    ]);
    const text = [
      table([["NUMBER", "NAME", "ORGANIZATIONS", "ADDRESSES"], ...rows]),
      ...(options.organizations ? [table([["HOST", "CELL"], ...hosts])] : []),
    ].join("\n\n");
    answer(listed, cells.length === 0 ? "There is no cell yet. Add one with `skein cell add`." : text);
  },
});
