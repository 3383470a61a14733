/** The pages on which users create organizations. While the server has none, they redirect to the setup page. */
import type { Context } from "../../../context.ts";
import { defaultHost } from "../../../config.ts";
import { ApiError } from "../../../errors.ts";
import { redirect, type PlainPage } from "../../../http/pages/plain-page.ts";
import { RateLimiter } from "../../../http/rate-limit.ts";
import type { Page, PageResponse, PageRequest } from "../../../http/page.ts";
import type { User } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { checkPassword, hashPassword } from "../../people/auth/passwords.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import { createLoginToken, loginTokenPath } from "../sign-in/login-token.ts";
import { mailLimit } from "../sign-in/mail-limit.ts";
import { realmPages } from "../sign-in/realm-page.ts";
import { checkYourMail } from "../sign-in/views.ts";
import type { Visit } from "../sign-in/visit.ts";
import { whyUnavailable } from "../../organization/subdomains/availability.ts";
import { checkFullName } from "../../people/users/full-name.ts";
import {
  createOrganization,
  hostFor,
  isCreationOpen,
  mailCreationLink,
  newPath,
  peekCreation,
} from "./new-organization.ts";
import * as views from "./new-organization-views.ts";
import { checkRealmName } from "../../organization/realm/name.ts";
import { isSetUp, setupPath } from "./token.ts";

const tries = { calls: 30, seconds: 60 };

export function newOrganizationPages(ctx: Context): Page[] {
  const declare = realmPages(ctx, tries);
  const page = (method: "GET" | "POST", path: string, serve: Serve) => declare(method, path, whileOpen(serve));
  const mails = new RateLimiter(mailLimit);
  const pages = [
    ...page("GET", newPath, async (_ctx, visit) => views.creationRequestPage({ visit })),
    ...page("POST", newPath, (_, visit) => requestLink(ctx, visit, mails)),
    ...[`${newPath}/:key`, views.creationPath].flatMap((path) => [
      ...page("GET", path, showForm),
      ...page("POST", path, create),
    ]),
  ];
  return pages.map((each) => ({ ...each, serve: (request) => serveOrSetUp(ctx, each, request) }));
}

/** The reference sets up its first organization on these pages, so operators may come here. */
async function serveOrSetUp({ db }: Context, page: Page, request: PageRequest): Promise<PageResponse> {
  if (await isSetUp(db)) return page.serve(request);
  const key = request.params["key"];
  return redirect(`${setupPath}/${key === undefined ? "" : `?token=${encodeURIComponent(key)}`}`);
}

type Serve = (ctx: Context, visit: Visit) => Promise<PlainPage | PageResponse>;

const whileOpen =
  (serve: Serve): Serve =>
  async (ctx, visit) =>
    isCreationOpen(ctx.config) ? serve(ctx, visit) : views.creationClosed;

async function requestLink(ctx: Context, visit: Visit, mails: RateLimiter): Promise<PlainPage> {
  const email = visit.request.form.get("email") ?? "";
  try {
    if (ctx.config.rateLimits) mails.count(visit.request.ip);
    await transaction(ctx.db, "mail creation link", (tx) => mailCreationLink(tx, ctx, visit.realm, email));
    return checkYourMail(email, "Open the link in it to continue.");
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "RATE_LIMIT_HIT") throw error;
    return views.creationRequestPage({ visit, email, problem: error.message, status: error.status });
  }
}

/** From the path, or from the form. */
const keyOf = ({ request }: Visit): string => request.params["key"] ?? request.form.get("key") ?? "";

const readFields = ({ request: { form } }: Visit): views.CreationFields => ({
  organization: form.get("organization") ?? "",
  subdomain: form.get("subdomain")?.trim().toLowerCase() ?? "",
  full_name: form.get("full_name") ?? "",
});

async function showForm(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const token = keyOf(visit);
  if (token === "") return redirect(`${newPath}/`);
  const opened = await peekCreation(ctx.db, visit.realm, token);
  return opened.state === "open"
    ? views.creationForm(formFor(ctx, visit, token, opened.data.email))
    : views.creationLinkClosed(opened.state);
}

const formFor = ({ config }: Context, visit: Visit, token: string, email: string) => ({
  csrfToken: visit.csrfToken,
  token,
  email,
  parentHost: defaultHost(config),
  formTarget: realmUrl(config, { host: hostFor(config, "*") }, ""),
  fields: readFields(visit),
});

async function create(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const token = keyOf(visit);
  const opened = await peekCreation(ctx.db, realm, token);
  if (opened.state !== "open") return views.creationLinkClosed(opened.state);
  const { email } = opened.data;
  const fields = readFields(visit);
  const password = request.form.get("password") ?? "";
  let checking: views.CreationField = "organization";
  try {
    const name = checkRealmName(fields.organization);
    checking = "subdomain";
    const objection = await whyUnavailable(ctx.db, fields.subdomain);
    if (objection !== undefined) throw new ApiError(objection);
    checking = "full_name";
    const full_name = checkFullName(fields.full_name);
    checking = "password";
    await checkPassword(password, [email, full_name]);
    const organization = { name, subdomain: fields.subdomain, full_name, password_hash: await hashPassword(password) };
    checking = "subdomain";
    const created = await transaction(ctx.db, "create an organization", async (tx) => {
      const owner = await createOrganization(tx, ctx, realm, token, organization);
      return "state" in owner ? owner : { owner, loginToken: await createLoginToken(tx, owner) };
    });
    return "state" in created
      ? views.creationLinkClosed(created.state)
      : redirect(loginUrl(ctx, created.owner, created.loginToken));
  } catch (error) {
    if (!(error instanceof ApiError) && !isTaken(error)) throw error;
    const text = error instanceof ApiError ? error.message : "This subdomain is already in use.";
    return views.creationForm({ ...formFor(ctx, visit, token, email), problem: { field: checking, text } });
  }
}

/** Signs the owner in on the new organization's own host. */
const loginUrl = ({ config }: Context, { realm }: User, loginToken: string): string =>
  `${realmUrl(config, realm, "")}${loginTokenPath}/${loginToken}`;

/** If two people claim a subdomain at once, the database's unique constraint accepts one. */
const isTaken = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "23505";
