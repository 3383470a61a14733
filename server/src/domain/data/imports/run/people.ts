/**
 * People and bots. By e-mail address, without case: an account that exists is used as it is, otherwise one is created. Nobody
 * gets mail. Whoever has no address becomes a stub: an inactive account that can be merged into a real one later.
 */
import { botTypes } from "@skein/api/bots.ts";
import { maxFullNameLength, minFullNameLength, roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError } from "../../../../errors.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { addWebhookService, checkInterface, checkWebhookUrl } from "../../../administration/bots/webhook-service.ts";
import { addUser } from "../../../administration/users/actions.ts";
import { isEmail } from "../../../base/email-address.ts";
import { createApiKey } from "../../../people/auth/api-keys.ts";
import { sealKey } from "../../../people/bots/sealed-bot.ts";
import { settingsForNewUser } from "../../../people/settings/state.ts";
import type { SourcePerson } from "../source.ts";
import type { StagedPersonData } from "./erased.ts";
import type { Import } from "./import-context.ts";
import { recall, remember } from "./map.ts";
import type { Report } from "./report.ts";

const batchSize = 50;

interface StagedRow {
  n: number;
  place: number;
  data: StagedPersonData;
}

/** Active people come first: of two source accounts with one address, the active one decides. */
export async function storePeople(run: Import, checkpoint: number): Promise<void> {
  const { db, realmId } = run;
  for (let done = checkpoint; ;) {
    const { rows } = await sql<StagedRow>`
      select n, place, data from (
        select n, data, row_number() over (order by (data->>'isActive')::boolean desc, (data->>'isListed')::boolean desc, n) as place
        from import_people where realm_id = ${realmId}) as person
      where place > ${done} order by place limit ${batchSize}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    await run.batch("import people", last.place, (tx, report) => storeBatch(tx, run, rows, report));
    done = last.place;
    run.onProgress({ phase: "people", done, total: 0 });
  }
}

async function storeBatch(tx: Tx, run: Import, rows: readonly StagedRow[], report: Report): Promise<void> {
  const known = await recall(tx, run, "person");
  for (const { n, data } of rows) {
    if (known.has(data.id) || data.erasedId !== undefined) continue;
    const planned = run.plan.people.get(data.id);
    const email = planned?.email ?? data.email;
    const person = {
      ...data,
      email: email !== undefined && isEmail(email) ? email : undefined,
      isActive: data.isActive && planned?.account !== "inactive",
    };
    const existing = person.email === undefined ? undefined : await findByAddress(tx, run, person.email);
    const id = existing ?? (await create(tx, run, person, known));
    known.set(data.id, id);
    await remember(tx, run, "person", [[data.id, id]]);
    if (existing !== undefined) continue;
    if (data.joinedAt !== undefined)
      await tx
        .updateTable("users")
        .set({ date_joined: new Date(Math.round(data.joinedAt * 1000)) })
        .where("id", "=", id)
        .execute();
    await sql`update import_people set is_new = true where realm_id = ${run.realmId} and n = ${n}`.execute(tx);
    report.imported[data.kind === "bot" ? "bots" : data.isListed ? "users" : "stub_users"]++;
  }
}

async function findByAddress(tx: Tx, { realmId }: Import, email: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realmId)
    .where((where) => where(where.fn("lower", ["delivery_email"]), "=", email.toLowerCase()))
    .executeTakeFirst();
  return row?.id;
}

type Person = Omit<SourcePerson, "email"> & { email: string | undefined };

async function create(tx: Tx, run: Import, person: Person, known: ReadonlyMap<string, number>): Promise<number> {
  if (person.kind === "bot") return createBot(tx, run, person, known);
  const full_name = toFullName(person.name, person.id);
  const { realm } = run.owner;
  if (person.email === undefined || !person.isActive) return createInactive(tx, run, person, full_name);
  const { id } = await addUser(
    tx,
    { ...realm, require_unique_names: false },
    {
      email: person.email,
      full_name,
      password_hash: null,
      role: person.role,
      joinsDefaultChannels: false,
      isStub: true,
    },
  );
  const timezone = toTimeZone(person.timeZone);
  if (timezone !== "") await tx.updateTable("users").set({ timezone }).where("id", "=", id).execute();
  return id;
}

/** Clients learn of inactive accounts when they register anew, at the end of the import. */
async function createInactive(tx: Tx, run: Import, person: Person, full_name: string): Promise<number> {
  const { settings, ...shown } = settingsForNewUser(run.owner.realm);
  const { id } = await tx
    .insertInto("users")
    .values({
      realm_id: run.realmId,
      delivery_email: person.email ?? (await stubAddress(tx, run, person.id)),
      full_name,
      role: person.email === undefined ? roles.member : person.role,
      is_active: false,
      is_imported_stub: true,
      timezone: toTimeZone(person.timeZone),
      settings: JSON.stringify(settings),
      ...shown,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** An active bot has a key, which its owner can see and replace, if the server can store it. */
async function createBot(tx: Tx, run: Import, person: Person, known: ReadonlyMap<string, number>): Promise<number> {
  const { secretBox } = run.ctx;
  const hasKey = person.isActive && secretBox.canSeal;
  const webhook = secretBox.canSeal ? validWebhook(person) : undefined;
  const owner = (person.ownerId === undefined ? undefined : known.get(person.ownerId)) ?? run.owner.id;
  const { id } = await tx
    .insertInto("users")
    .values({
      realm_id: run.realmId,
      delivery_email: person.email ?? (await stubAddress(tx, run, person.id)),
      full_name: toFullName(person.name, person.id),
      is_active: person.isActive,
      is_bot: true,
      bot_type: botTypeOf(person, webhook),
      bot_owner_id: owner,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const sealed_api_key = hasKey
    ? sealKey(secretBox, id, await createApiKey(tx, { id, realm_id: run.realmId, is_bot: true }, "bot"))
    : "";
  await tx.insertInto("bots").values({ user_id: id, realm_id: run.realmId, sealed_api_key }).execute();
  if (webhook) {
    const { name, url, interface: interfaceType } = webhook;
    await addWebhookService(tx, secretBox, { botId: id, realmId: run.realmId, name, url, interfaceType });
  }
  return id;
}

type Webhook = NonNullable<SourcePerson["webhook"]>;

/** Whether its address may be contacted is checked on each request. */
function validWebhook({ webhook }: Person): Webhook | undefined {
  try {
    if (!webhook) return undefined;
    return { ...webhook, url: checkWebhookUrl(webhook.url, "url"), interface: checkInterface(webhook.interface) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

/** An outgoing webhook whose address is not known becomes a generic bot. */
const botTypeOf = ({ isIncomingWebhook }: Person, webhook: Webhook | undefined): number => {
  if (webhook) return botTypes.outgoingWebhook;
  return isIncomingWebhook ? botTypes.incomingWebhook : botTypes.generic;
};

/** An address that nobody can receive mail at: `.invalid` is reserved for this. */
async function stubAddress(tx: Tx, run: Import, id: string): Promise<string> {
  const plain =
    id
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 60) || "unknown";
  for (let number = 1; ; number++) {
    const address = `${plain}${number === 1 ? "" : `-${number}`}@${run.source.name}.import.invalid`;
    if ((await findByAddress(tx, run, address)) === undefined) return address;
  }
}

const forbidden = /[*`\\>"@]|\p{C}/gu;

/** Without characters that a name may not have, and not too long. */
export function toFullName(given: string, id: string): string {
  const visible = given.toWellFormed().replaceAll(forbidden, "").replaceAll(/\s+/g, " ").trim();
  const name = Array.from(visible.replace(/(?:\|\d+\s*)+$/, "").trim())
    .slice(0, maxFullNameLength)
    .join("")
    .replace(/(?:\|\d+\s*)+$/, "")
    .trim();
  return Array.from(name).length >= minFullNameLength ? name : toFullName(`${name} (${id})`.trim(), "unknown");
}

function toTimeZone(name = ""): string {
  try {
    return name === "" ? "" : new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone && name;
  } catch {
    return "";
  }
}
