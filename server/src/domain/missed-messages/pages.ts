/**
 * Where a mail's link leads to end such mail. Opening it shows what it is about; only sending the form, or a mail
 * program's one click, does it, since programs that look at mail before its reader does open links too.
 */
import type { Context } from "../../context.ts";
import { plainPage, type PlainPage } from "../../http/pages/plain-page.ts";
import type { Page, PageRequest } from "../../http/router.ts";
import { markup } from "../../platform/markup.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findRealm } from "../realm/find-realm.ts";
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
  if (method === "GET") return question(realm.name, mailKinds[type].what);
  const isDone = await transaction(ctx.db, "unsubscribe from mail", (tx) =>
    unsubscribe(tx, ctx.config, realm, type, userId),
  );
  return isDone ? done(realm.name, mailKinds[type].what) : unknownLink;
}

const question = (realm: string, what: string): PlainPage => ({
  title: "No more of this mail?",
  body: markup`<p>You are about to end ${what} from ${realm}. You can begin it again in your settings.</p>
<form method="post"><button>End it</button></form>`,
});

const done = (realm: string, what: string): PlainPage => ({
  title: "You will get no more of this mail",
  body: markup`<p>${realm} sends you no more ${what}. You can begin it again in your settings.</p>`,
});

const unknownLink: PlainPage = {
  status: 404,
  title: "This link cannot be used",
  body: markup`<p>It may have been cut short on its way to you. Your settings say which mail you get.</p>`,
};
