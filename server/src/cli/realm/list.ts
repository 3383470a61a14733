import { listRealms } from "../../domain/data/statistics/realms.ts";
import { command, table } from "../command.ts";
import { withDatabase } from "../database.ts";
import { formatTime } from "../format.ts";

export const realmList = command({
  options: {},
  run: async ({ answer }) => {
    const realms = await withDatabase(listRealms);
    const rows = realms.map(({ id, string_id, name, host, state, people, date_created, rows_deleted }) => [
      String(id),
      string_id === "" ? "(empty)" : string_id,
      host ?? "(any)",
      rows_deleted === null ? state : `${state}, ${rows_deleted} rows so far`,
      String(people),
      formatTime(date_created),
      name,
    ]);
    const text = table([["ID", "SHORT NAME", "HOST", "STATE", "PEOPLE", "CREATED", "NAME"], ...rows]);
    answer(realms, realms.length === 0 ? "There is no organization yet. Create one with `skein realm create`." : text);
  },
});
