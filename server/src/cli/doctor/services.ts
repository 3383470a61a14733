/** Checks the services outside: mail, mobile push, single sign-on. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../../config.ts";
import { addressOf, Mailer } from "../../platform/mailer.ts";
import { failed, ok, reasonOf, warning, type Finding } from "../finding.ts";

const timeoutMilliseconds = 10_000;

export async function checkMail(config: Config): Promise<Finding[]> {
  const { smtpUrl, mailFrom } = config;
  const name = "mail";
  if (smtpUrl === "")
    return [
      warning(
        name,
        "not configured: no invitations, password resets and notifications by mail",
        "Set SKEIN_SMTP_URL and SKEIN_MAIL_FROM.",
      ),
    ];
  if (smtpUrl.startsWith("file:")) {
    const folder = fileURLToPath(smtpUrl);
    const file = join(folder, ".skein-doctor");
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(file, "");
      await rm(file);
    } catch (error) {
      return [failed(name, reasonOf(error), `Let the account of the server write to ${folder}.`)];
    }
    return [warning(name, `written to ${folder}, not sent`, "Set SKEIN_SMTP_URL to a mail server.")];
  }
  const mailer = new Mailer(config);
  try {
    await mailer.verify();
  } catch (error) {
    const remedy =
      "Check host, port, user and password in SKEIN_SMTP_URL (smtps:// for port 465, smtp:// for 587 and 25), and that this " +
      "machine may connect to it.";
    return [failed(name, reasonOf(error), remedy)];
  } finally {
    mailer.close();
  }
  if (addressOf(mailFrom).endsWith("@localhost"))
    return [
      warning(
        name,
        `the mail server accepts us, but mail comes from ${mailFrom}`,
        "Set SKEIN_MAIL_FROM to your address.",
      ),
    ];
  return [ok(name, `the mail server accepts us; mail comes from ${mailFrom}`)];
}

export async function checkPush({ pushRelayUrl, vapidKey }: Config): Promise<Finding[]> {
  const browser = vapidKey
    ? ok("browser notifications", "SKEIN_VAPID_KEY is set")
    : warning(
        "browser notifications",
        "off: browsers show notifications only while Skein is open",
        "Run `skein vapid-keys` and set SKEIN_VAPID_KEY.",
      );
  const name = "push relay";
  if (pushRelayUrl === "") return [browser, ok(name, "not configured: phones get no notifications")];
  const remedy = "Check SKEIN_PUSH_RELAY_URL, and that this machine can reach it.";
  return [browser, await checkUrl(name, pushRelayUrl, () => true, remedy)];
}

export async function checkSignOn({ openIdIssuer }: Config): Promise<Finding[]> {
  if (!openIdIssuer) return [];
  const url = `${openIdIssuer.replace(/\/+$/, "")}/.well-known/openid-configuration`;
  const remedy = "Check SKEIN_OIDC_ISSUER, and that this machine can reach the provider.";
  return [await checkUrl("OpenID Connect", url, (status) => status === 200, remedy)];
}

/** Whether a server responds at all, with a status that is acceptable. */
export async function checkUrl(
  name: string,
  url: string,
  isAcceptable: (status: number) => boolean,
  remedy: string,
): Promise<Finding> {
  const { host } = new URL(url);
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMilliseconds) });
    await response.body?.cancel();
    if (isAcceptable(response.status)) return ok(name, `${host} responds`);
    return failed(name, `${host} responds with status ${response.status}`, remedy);
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return failed(name, `${host}: ${reasonOf(cause ?? error)}`, remedy);
  }
}
