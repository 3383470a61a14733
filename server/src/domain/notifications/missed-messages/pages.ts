/**
 * The unsubscribe link in a mail. Opening it only asks for confirmation; submitting the form, or a mail program's one-click
 * request, unsubscribes. Otherwise mail scanners, which open links, would unsubscribe people.
 */
import type { Context } from "../../../context.ts";
import { plainPage, type PlainPage } from "../../../http/pages/plain-page.ts";
import type { Page, PageRequest } from "../../../http/page.ts";
import { markup } from "../../../platform/markup.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { findRealm } from "../../organization/realm/find-realm.ts";
import { isMailKind, mailKinds, readUnsubscribeToken, unsubscribe, unsubscribePath } from "./unsubscribe.ts";

export const unsubscribePages = (ctx: Context): Page[] =>
  (["GET", "POST"] as const).map((method) => ({
    path: unsubscribePath,
    method,
    serve: async (request) => plainPage(await serve(ctx, method, request)),
  }));

async function serve(ctx: Context, method: "GET" | "POST", { host, params }: PageRequest): Promise<PlainPage> {
  const { type = "", token = "" } = params;
  const realm = await findRealm(ctx.db, host);
  const userId = isMailKind(type) ? readUnsubscribeToken(ctx.config, type, token) : undefined;
  if (!isMailKind(type) || userId === undefined) return unknownLink;
  if (method === "GET") return askToConfirm(realm.name, mailKinds[type].name);
  const isDone = await transaction(ctx.db, "unsubscribe from mail", (tx) =>
    unsubscribe(tx, ctx.config, realm, type, userId),
  );
  return isDone ? unsubscribed(realm.name, mailKinds[type].name) : unknownLink;
}

const askToConfirm = (realm: string, kind: string): PlainPage => ({
  title: "Unsubscribe?",
  body: markup`<p>You will no longer receive ${kind} from ${realm}. You can turn this on again in your settings.</p>
<form method="post"><button>Unsubscribe</button></form>`,
});

const unsubscribed = (realm: string, kind: string): PlainPage => ({
  title: "You have been unsubscribed",
  body: markup`<p>You will no longer receive ${kind} from ${realm}. You can turn this on again in your settings.</p>`,
});

const unknownLink: PlainPage = {
  status: 404,
  title: "This link does not work",
  body: markup`<p>Part of it may be missing. You can choose which mails you receive in your settings.</p>`,
};
