/** The directory of an organization: finding people, verifying their passwords, and their groups. */
import { AndFilter, EqualityFilter, FilterParser, type Entry } from "ldapts";
import { randomBytes } from "node:crypto";
import type { Context } from "../../../context.ts";
import { openClientSecret } from "../identity-providers/client-secret.ts";
import type { Person } from "../identity-providers/person.ts";
import { ProviderProblem } from "../identity-providers/provider-problem.ts";
import { groupMapOf, type ProviderRow } from "../identity-providers/queries.ts";
import { Connection } from "./connection.ts";
import { attributesOf, idOf, isDisabled, textsOf, toPerson, waysToFind } from "./entry.ts";
import { everybodyFilter, fillFilter, firstValue, isUnder, normalizeDn, personFilter } from "./filters.ts";
import { issuerOf, ldapSettingsOf, takesOverGroups, type LdapSettings } from "./settings.ts";

export type DirectoryContext = Pick<Context, "outbound" | "secretBox">;

const pageSize = 500;
/** Of one person, nested ones included. */
const maxGroups = 2000;

export class Directory {
  readonly #ctx: DirectoryContext;
  readonly #row: ProviderRow;
  readonly #settings: LdapSettings;
  readonly #connection: Connection;
  /** The groups that contain a group, by its name. */
  readonly #parents = new Map<string, Promise<string[]>>();

  private constructor(ctx: DirectoryContext, row: ProviderRow, connection: Connection) {
    this.#ctx = ctx;
    this.#row = row;
    this.#settings = ldapSettingsOf(row);
    this.#connection = connection;
  }

  /** Connects, and runs `use` as the account that searches. Throws a ProviderProblem if the directory fails. */
  static async use<T>(ctx: DirectoryContext, row: ProviderRow, use: (directory: Directory) => Promise<T>): Promise<T> {
    const password = openClientSecret(ctx.secretBox, row);
    if (password === undefined) throw new ProviderProblem("bind_password cannot be read: enter it again");
    const settings = ldapSettingsOf(row);
    const connection = await Connection.open(ctx.outbound, settings);
    try {
      await connection.bindAs(settings.bind_dn, password);
      return await use(new Directory(ctx, row, connection));
    } finally {
      await connection.close();
    }
  }

  /** Whom this name and password belong to; undefined if nobody, or if the name is not of exactly one person. */
  async authenticate(login: string, password: string): Promise<Person | undefined> {
    const found = await this.#search(personFilter(this.#settings.user_filter, login), 2);
    const entry = found.length === 1 ? found[0] : undefined;
    // For somebody who is not there, the directory is asked as well, so that it takes as long.
    const isRight = await (entry ? this.#verify(entry.dn, password) : this.#verify(...this.#nobody()));
    return entry && isRight && !isDisabled(entry) ? this.#toPerson(entry) : undefined;
  }

  #nobody(): [dn: string, password: string] {
    return [`cn=${randomBytes(12).toString("hex")},${this.#settings.user_base}`, randomBytes(12).toString("hex")];
  }

  /** On a connection of its own: this one stays that of the account that searches. */
  async #verify(dn: string, password: string): Promise<boolean> {
    const connection = await Connection.open(this.#ctx.outbound, this.#settings);
    try {
      return await connection.accepts(dn, password);
    } finally {
      await connection.close();
    }
  }

  #search(filter: string, sizeLimit: number): Promise<Entry[]> {
    const attributes = attributesOf(this.#settings, this.#row.groups_claim);
    return this.#connection.search(this.#settings.user_base, { scope: "sub", filter, attributes, sizeLimit });
  }

  async #toPerson(entry: Entry): Promise<Person> {
    const groups = takesOverGroups(this.#row) ? await this.#groupsOf(entry) : undefined;
    return toPerson(this.#settings, entry, { issuer: issuerOf(this.#settings), groups });
  }

  /** Throws a ProviderProblem unless people can be found. */
  async test(): Promise<void> {
    const [entry] = await this.#search(everybodyFilter(this.#settings.user_filter), 1);
    if (!entry) throw new ProviderProblem("user_filter finds nobody under user_base");
    if (idOf(this.#settings, entry) === undefined)
      throw new ProviderProblem(`${entry.dn} has no value, or several, in the attribute that identifies people`);
    await this.#toPerson(entry);
  }

  /**
   * All people, page by page: their id, and how to learn the rest about somebody who is not disabled. Entries that do not say who
   * they are do not count.
   */
  async *people(): AsyncGenerator<{ id: string; isDisabled: boolean; load: () => Promise<Person> }[]> {
    const { user_base, user_filter } = this.#settings;
    const attributes = attributesOf(this.#settings, this.#row.groups_claim);
    const search = { scope: "sub", filter: everybodyFilter(user_filter), attributes } as const;
    for await (const page of this.#connection.pages(user_base, search, pageSize))
      yield page.flatMap((entry) => {
        const id = idOf(this.#settings, entry);
        return id === undefined ? [] : [{ id, isDisabled: isDisabled(entry), load: () => this.#toPerson(entry) }];
      });
  }

  /** Whether there is somebody with this id whom the filter finds. For those who were missing in the list of all. */
  async has(id: string): Promise<boolean> {
    const { user_base, user_filter } = this.#settings;
    for (const way of waysToFind(this.#settings, id)) {
      const filters = [FilterParser.parseString(everybodyFilter(user_filter)), new EqualityFilter(way)];
      const filter = new AndFilter({ filters });
      const search = { scope: "sub" as const, filter, attributes: ["1.1"], sizeLimit: 1 };
      if ((await this.#connection.search(user_base, search)).length > 0) return true;
    }
    return false;
  }

  /** Those names in the map of groups that are groups of this person. */
  async #groupsOf(entry: Entry): Promise<string[]> {
    const { group_base, nested_groups } = this.#settings;
    const found = new Map<string, string>();
    let next = await this.#groupsContaining(entry.dn, entry);
    while (next.length > 0) {
      const fresh = next.filter((dn) => !found.has(normalizeDn(dn)) && (group_base === "" || isUnder(dn, group_base)));
      for (const dn of fresh) found.set(normalizeDn(dn), dn);
      if (found.size > maxGroups) throw new ProviderProblem(`${entry.dn} is in more than ${maxGroups} groups`);
      next = nested_groups ? (await Promise.all(fresh.map((dn) => this.#parentsOf(dn)))).flat() : [];
    }
    const values = new Set([...found.values()].map((dn) => firstValue(dn).toLowerCase()));
    return Object.keys(groupMapOf(this.#row)).filter((name) =>
      name.includes("=") ? found.has(normalizeDn(name)) : values.has(name.toLowerCase()),
    );
  }

  #parentsOf(group: string): Promise<string[]> {
    const key = normalizeDn(group);
    const known = this.#parents.get(key) ?? this.#groupsContaining(group);
    this.#parents.set(key, known);
    return known;
  }

  /** The names of the groups with this direct member, a person or a group. */
  async #groupsContaining(dn: string, person?: Entry): Promise<string[]> {
    const { groups_claim: claim } = this.#row;
    const { group_base, group_filter } = this.#settings;
    if (claim !== "") {
      if (person) return textsOf(person, claim);
      const group = await this.#connection.read(dn, [claim]);
      return group ? textsOf(group, claim) : [];
    }
    const [uid] = person ? textsOf(person, "uid") : [];
    // A group has no uid, and is in another group by its name alone.
    if (uid === undefined && group_filter.includes("{uid}")) return [];
    const filter = fillFilter(group_filter, { dn, uid: uid ?? "" });
    const groups = await this.#connection.search(group_base, { scope: "sub", filter, attributes: ["1.1"] });
    return groups.map((group) => group.dn);
  }
}
