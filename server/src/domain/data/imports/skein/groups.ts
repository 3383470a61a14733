/** The groups of our own export: named ones, those of roles, and those that are the value of one setting. */
import { type JsonRecord, listOf as itemsOf, stringOf } from "../archive/json.ts";
import type { SourceGroupValue, SourceId } from "../source.ts";
import type { SkeinPeople } from "./people.ts";
import { type ExportFiles, rowsOf } from "./rows.ts";

export class SkeinGroups {
  /** Those that people made. */
  readonly named: JsonRecord[] = [];
  /** What refers to named groups: their ids, or names such as `role:members`. */
  readonly #ids = new Map<unknown, SourceId>();
  readonly #unnamed = new Map<unknown, { members: readonly SourceId[]; subgroups: readonly unknown[] }>();

  private constructor() {}

  static async read(files: ExportFiles, people: SkeinPeople): Promise<SkeinGroups> {
    const groups = new SkeinGroups();
    for await (const row of rowsOf(files, "user_groups")) {
      const { id, name } = row;
      if (typeof name !== "string")
        groups.#unnamed.set(id, { members: people.idsOf(row["members"]), subgroups: itemsOf(row["subgroups"]) });
      else if (row["is_system"] === true) groups.#ids.set(id, stringOf(name));
      else {
        groups.named.push(row);
        groups.#ids.set(id, String(id));
      }
    }
    return groups;
  }

  idsOf(numbers: unknown): SourceId[] {
    return itemsOf(numbers).flatMap((number) => this.#ids.get(number) ?? []);
  }

  /** What a column such as `can_manage_group_id` means; undefined if the export does not have it. */
  valueOf(id: unknown): SourceGroupValue | undefined {
    const named = this.#ids.get(id);
    if (named !== undefined) return { members: [], groups: [named] };
    const unnamed = this.#unnamed.get(id);
    return unnamed && { members: unnamed.members, groups: this.idsOf(unnamed.subgroups) };
  }

  /** The values of the columns that these permissions have in a row. */
  valuesOf(permissions: readonly string[], row: JsonRecord): Record<string, SourceGroupValue> {
    return Object.fromEntries(
      permissions.flatMap((name): [string, SourceGroupValue][] => {
        const value = this.valueOf(row[`${name}_id`]);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }
}
