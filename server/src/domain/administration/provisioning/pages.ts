/**
 * SCIM 2.0 (RFC 7643 and 7644) at `/scim/v2`. Requests of a directory, which has a token of the organization. Every change is
 * one transaction with one entry of the audit log, and its response is sent when all nodes know of it.
 */
import type { AuditAction } from "@skein/api/audit-log.ts";
import type { Context } from "../../../context.ts";
import { revoke } from "../../../events/revoke.ts";
import { bodyTooLarge } from "../../../http/form.ts";
import type { Page, PageMethod, PageRequest, PageResponse } from "../../../http/page.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { auditedFor } from "../../organization/audit/audited.ts";
import { byDirectory } from "../../organization/audit/record.ts";
import type { Fields } from "../../organization/audit/subjects.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";
import { checkPassword, hashPassword, isPassword } from "../../people/auth/passwords.ts";
import { membersUpdate } from "../user-groups/endpoints.ts";
import { readAttributeMap, schemasOf } from "./attribute-map.ts";
import { describeSchemas, resourceTypes, serviceProviderConfig } from "./discovery.ts";
import { isObject, type JsonObject } from "./filter.ts";
import { findResources, project, toList } from "./find.ts";
import {
  createManagedGroup,
  deleteManagedGroup,
  findGroup,
  groupSource,
  patchableGroup,
  showGroups,
  updateManagedGroup,
} from "./groups.ts";
import { applyOperation, readOperations, readResource, type Operation } from "./patch.ts";
import { createPerson, deletePerson, findDeleted, updatePerson, type Preparation } from "./save-user.ts";
import { groupSchemas, type Schemas } from "./schemas.ts";
import { notFound, scimError, toErrorBody } from "./scim-error.ts";
import {
  findPerson,
  loadPerson,
  readId,
  toPatchable,
  toScimUser,
  userSource,
  withoutOwnValues,
  type PersonRow,
} from "./show-users.ts";
import { authenticate, beginChange, type Directory } from "./tokens.ts";
import { readBody } from "./values.ts";

/** A group with tens of thousands of members. */
const maxBodyBytes = 4 * 1024 ** 2;
const type = "application/scim+json; charset=utf-8";
const methods: PageMethod[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export function scimPages(ctx: Context): Page[] {
  return ["/scim/v2/:kind", "/scim/v2/:kind/:id", "/scim/v2/*"].map((path) => ({
    path,
    method: methods,
    keepsBody: true,
    isUnlimited: true,
    maxBody: maxBodyBytes,
    admitLargeBody: async (request) => {
      await authenticate(ctx, request);
      if (Number(request.header("content-length") ?? 0) > maxBodyBytes) throw bodyTooLarge();
    },
    errorBody: (status, message, data) => ({
      type,
      body: JSON.stringify(toErrorBody(status, message, data["scimType"])),
    }),
    serve: async (request) => {
      const directory = await authenticate(ctx, request);
      const { status, body, headers = {} } = await serve({ ctx, directory, request });
      return { status, type, headers, body: body === undefined ? "" : JSON.stringify(body) } satisfies PageResponse;
    },
  }));
}

interface Call {
  ctx: Context;
  directory: Directory;
  request: PageRequest;
}

interface Answer {
  status: number;
  body?: JsonObject;
  headers?: Record<string, string>;
}

async function serve(call: Call): Promise<Answer> {
  const { kind = "", id } = call.request.params;
  const { base } = call.directory;
  switch (kind) {
    case "ServiceProviderConfig":
      return readOnly(call, () => (id === undefined ? serviceProviderConfig(base) : undefined));
    case "ResourceTypes":
      return readOnly(call, () => listOrOne(resourceTypes(base), id));
    case "Schemas": {
      const schemas = schemasOf(await readAttributeMap(call.ctx.db, call.directory.realm.id));
      return readOnly(call, () => listOrOne(describeSchemas(base, schemas), id));
    }
    case "Users":
      return id === undefined ? serveUsers(call) : serveUser(call, readId(id) ?? 0);
    case "Groups":
      return id === undefined ? serveGroups(call) : serveGroup(call, readId(id) ?? 0);
    default:
      throw notFound();
  }
}

function readOnly({ request }: Call, find: () => JsonObject | undefined): Answer {
  if (request.method !== "GET") throw methodNotAllowed();
  const body = find();
  if (!body) throw notFound();
  return { status: 200, body };
}

const listOrOne = (all: JsonObject[], id: string | undefined): JsonObject | undefined =>
  id === undefined ? toList(all) : all.find((each) => each["id"] === id);

const methodNotAllowed = () => scimError(405, "This resource does not support the method.");

function bodyOf({ request }: Call): JsonObject {
  if (!/^application\/(?:scim\+)?json\s*(?:;|$)/i.test(request.header("content-type") ?? ""))
    throw scimError(415, "The body has to be application/scim+json or application/json.");
  return readBody(request.bytes);
}

/** Runs a change of this organization. */
const change = <T>({ ctx, directory }: Call, name: string, run: (tx: Tx) => Promise<T>): Promise<T> =>
  revoke(ctx, name, async (tx) => {
    await beginChange(tx, directory);
    return run(tx);
  });

const sourceOf = ({ directory }: Call) => byDirectory(directory.tokenId, directory.request);

async function userSchemasOf({ ctx, directory }: Call): Promise<{ map: Preparation["map"]; schemas: Schemas }> {
  const map = await readAttributeMap(ctx.db, directory.realm.id);
  return { map, schemas: schemasOf(map) };
}

/** What has to be known before a change of a person; hashing is slow. */
async function prepare(
  { ctx, directory }: Call,
  map: Preparation["map"],
  password: unknown,
  person?: { id: number; names: string[] },
): Promise<Preparation> {
  const objection = await addressChecker(ctx.db, directory.realm);
  if (typeof password !== "string" || password === "") return { map, objection, passwordHash: undefined };
  const account =
    person && (await ctx.db.selectFrom("users").select("password_hash").where("id", "=", person.id).executeTakeFirst());
  if (account && (await isPassword(account.password_hash, password)))
    return { map, objection, passwordHash: undefined };
  await checkPassword(password, person?.names ?? []);
  return { map, objection, passwordHash: await hashPassword(password) };
}

const namesOf = (resource: JsonObject): string[] =>
  [resource["userName"], resource["displayName"]].filter((name) => typeof name === "string");

async function serveUsers(call: Call): Promise<Answer> {
  const { ctx, directory, request } = call;
  const { map, schemas } = await userSchemasOf(call);
  if (request.method === "GET")
    return { status: 200, body: await findResources(userSource(ctx.db, directory, schemas), request.form) };
  if (request.method !== "POST") throw methodNotAllowed();
  const resource = readResource(bodyOf(call), schemas);
  const preparation = await prepare(call, map, resource["password"], { id: 0, names: namesOf(resource) });
  const person = await change(call, "SCIM: create user", async (tx) => {
    const { realm } = directory;
    const deleted = await findDeleted(tx, directory, resource);
    const id = await (deleted === undefined
      ? auditedFor(tx, realm.id, sourceOf(call), { kind: "user", id: (made) => made, action: "user.create" }, () =>
          createPerson(tx, ctx, directory, resource, preparation),
        )
      : reopen(tx, call, deleted, resource, preparation));
    return getPerson(tx, directory, id);
  });
  const body = toScimUser(directory, person);
  return { status: 201, body, headers: { Location: `${directory.base}/Users/${person.id}` } };
}

/** An account that the directory deleted is created again: it is the same account, with its history. */
async function reopen(tx: Tx, call: Call, id: number, resource: JsonObject, preparation: Preparation): Promise<number> {
  const { directory } = call;
  await auditedFor(
    tx,
    directory.realm.id,
    sourceOf(call),
    { kind: "user", id, action: "user.reactivate" },
    async () => {
      const row = await loadPerson(tx, directory.realm.id, id);
      if (!row) throw notFound();
      await updatePerson(tx, directory, row, { active: true, ...resource }, { ...preparation, isWhole: true });
    },
  );
  return id;
}

async function getPerson(tx: Tx, { realm }: Directory, id: number): Promise<PersonRow> {
  const person = await findPerson(tx, realm.id, id);
  if (!person) throw notFound();
  return person;
}

const userUpdate = (_: Fields, after: Fields): AuditAction => {
  if ("is_active" in after) return after["is_active"] === true ? "user.reactivate" : "user.deactivate";
  if ("role" in after) return "user.update_role";
  return "profile_data" in after ? "user.update_profile_data" : "user.update";
};

async function serveUser(call: Call, id: number): Promise<Answer> {
  const { ctx, directory, request } = call;
  const { realm } = directory;
  const found = await findPerson(ctx.db, realm.id, id);
  if (!found) throw notFound(`There is no user ${id}.`);
  const { map, schemas } = await userSchemasOf(call);
  switch (request.method) {
    case "GET":
      return { status: 200, body: project(toScimUser(directory, found), request.form, schemas) };
    case "PUT": {
      const resource = readResource(bodyOf(call), schemas);
      return saveUser(call, found, map, resource["password"], () => ({ resource, isWhole: true }));
    }
    case "PATCH": {
      const operations = readOperations(bodyOf(call));
      return saveUser(call, found, map, passwordIn(operations), (row) => {
        const patched = toPatchable(row);
        for (const operation of operations) applyOperation(patched, operation, schemas);
        return { resource: withoutOwnValues(row, patched), isWhole: false };
      });
    }
    case "DELETE":
      await change(call, "SCIM: delete user", async (tx) => {
        await getPerson(tx, directory, id);
        await auditedFor(tx, realm.id, sourceOf(call), { kind: "user", id, action: "user.deactivate" }, () =>
          deletePerson(tx, directory, id),
        );
      });
      return { status: 204 };
    default:
      throw methodNotAllowed();
  }
}

async function saveUser(
  call: Call,
  found: PersonRow,
  map: Preparation["map"],
  password: unknown,
  wanted: (row: PersonRow) => { resource: JsonObject; isWhole: boolean },
): Promise<Answer> {
  const { directory } = call;
  const { id } = found;
  const names = [found.delivery_email, found.full_name];
  const preparation = await prepare(call, map, password, { id, names });
  const person = await change(call, "SCIM: update user", async (tx) => {
    const row = await getPerson(tx, directory, id);
    const { resource, isWhole } = wanted(row);
    const audit = { kind: "user", id, action: userUpdate, isAlways: preparation.passwordHash !== undefined } as const;
    await auditedFor(tx, directory.realm.id, sourceOf(call), audit, () =>
      updatePerson(tx, directory, row, resource, { ...preparation, isWhole }),
    );
    return getPerson(tx, directory, id);
  });
  return { status: 200, body: toScimUser(directory, person) };
}

/** The password that the last of these operations sets, which is needed before they are applied. */
function passwordIn(operations: Operation[]): unknown {
  let password: unknown;
  for (const { op, path, value } of operations) {
    if (op === "remove") continue;
    if (path !== undefined && /(?:^|:)password$/i.test(path)) password = value;
    if (path !== undefined || !isObject(value)) continue;
    for (const [name, each] of Object.entries(value)) if (/(?:^|:)password$/i.test(name)) password = each;
  }
  return password;
}

const wantsMembers = ({ request: { form } }: Call): boolean => {
  const isNamed = (parameter: string) => /(?:^|,|:)\s*members/i.test(form.get(parameter) ?? "");
  if (/members/i.test(form.get("filter") ?? "")) return true;
  return form.has("attributes") ? isNamed("attributes") : !isNamed("excludedAttributes");
};

async function serveGroups(call: Call): Promise<Answer> {
  const { ctx, directory, request } = call;
  const { realm } = directory;
  if (request.method === "GET") {
    const source = groupSource(ctx.db, directory, { withMembers: wantsMembers(call) });
    return { status: 200, body: await findResources(source, request.form) };
  }
  if (request.method !== "POST") throw methodNotAllowed();
  const resource = readResource(bodyOf(call), groupSchemas);
  const id = await change(call, "SCIM: create group", (tx) =>
    auditedFor(
      tx,
      realm.id,
      sourceOf(call),
      { kind: "user_group", id: (made) => made, action: "user_group.create" },
      () => createManagedGroup(tx, directory, resource),
    ),
  );
  const body = await showGroup(call, id);
  return { status: 201, body, headers: { Location: `${directory.base}/Groups/${id}` } };
}

async function showGroup({ ctx, directory }: Call, id: number, withMembers = true): Promise<JsonObject> {
  const group = await findGroup(ctx.db, directory.realm.id, id);
  const [shown] = group ? await showGroups(ctx.db, directory, [group], { withMembers }) : [];
  if (!shown) throw notFound(`There is no group ${id}.`);
  return shown;
}

const groupUpdate = (before: Fields, after: Fields): AuditAction =>
  "members" in after ? membersUpdate(before, after) : "user_group.update";

async function serveGroup(call: Call, id: number): Promise<Answer> {
  const { request } = call;
  const shown = await showGroup(call, id, request.method === "GET" && wantsMembers(call));
  switch (request.method) {
    case "GET":
      return { status: 200, body: project(shown, request.form, groupSchemas) };
    case "PUT": {
      const resource = readResource(bodyOf(call), groupSchemas);
      await saveGroup(call, id, () => resource);
      return { status: 200, body: await showGroup(call, id) };
    }
    case "PATCH": {
      const operations = readOperations(bodyOf(call));
      await saveGroup(call, id, (patched) => {
        for (const operation of operations) applyOperation(patched, operation, groupSchemas);
        return patched;
      });
      return { status: 204 };
    }
    case "DELETE":
      await change(call, "SCIM: delete group", async (tx) => {
        const { directory } = call;
        const audit = { kind: "user_group", id, action: "user_group.deactivate" } as const;
        await auditedFor(tx, directory.realm.id, sourceOf(call), audit, () => deleteManagedGroup(tx, directory, id));
      });
      return { status: 204 };
    default:
      throw methodNotAllowed();
  }
}

async function saveGroup(call: Call, id: number, wanted: (current: JsonObject) => JsonObject): Promise<void> {
  const { directory } = call;
  const { realm } = directory;
  await change(call, "SCIM: update group", async (tx) => {
    const group = await findGroup(tx, realm.id, id);
    if (!group) throw notFound();
    const resource = wanted(await patchableGroup(tx, group));
    await auditedFor(tx, realm.id, sourceOf(call), { kind: "user_group", id, action: groupUpdate }, () =>
      updateManagedGroup(tx, directory, group, resource),
    );
  });
}
