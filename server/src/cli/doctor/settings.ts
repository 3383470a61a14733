/** Checks settings that are valid by themselves but unwise, or do not match the data. */
import type { Config } from "../../config.ts";
import { trySecret } from "../../domain/data/secret-rotation/try-secret.ts";
import type { Db } from "../../platform/db/connect.ts";
import { SecretBox } from "../../platform/secret-box.ts";
import { failed, ok, warning, type Finding } from "../finding.ts";
import { checkUrl } from "./services.ts";

export async function checkSecret(config: Config, db: Db): Promise<Finding[]> {
  const name = "SKEIN_SECRET";
  const { opened, unreadable } = await trySecret(db, new SecretBox(config.secret, config.secondSecret));
  if (config.secret === "" && unreadable > 0)
    return [
      failed(
        name,
        `not set, but the database has ${unreadable} encrypted values`,
        "Set the secret that they were encrypted with.",
      ),
    ];
  if (config.secret === "")
    return [
      warning(
        name,
        "not set: bots cannot be created, and links have no previews",
        "Generate one with `openssl rand -hex 32`, set it for all processes, and keep a copy with your backups.",
      ),
    ];
  if (unreadable > 0)
    return [
      failed(
        name,
        `cannot decrypt ${unreadable} of ${opened + unreadable} encrypted values that were tried (bot keys, webhook tokens, ` +
          "invitation links, devices)",
        "Set the secret that this database was used with. If it is lost, regenerate the keys and tokens of all bots.",
      ),
    ];
  return [ok(name, opened === 0 ? "set; nothing is encrypted yet" : `decrypts all ${opened} values that were tried`)];
}

const isLocal = (host: string) => host === "localhost" || host.startsWith("127.") || host === "[::1]";

export async function checkExternalUrl(config: Config): Promise<Finding[]> {
  const { externalUrl, trustProxy } = config;
  const name = "SKEIN_EXTERNAL_URL";
  if (externalUrl === "")
    return [
      warning(
        name,
        "not set: links in mail use whatever host name a request had, with http://",
        "Set it to the URL under which users reach the server.",
      ),
    ];
  const url = URL.parse(externalUrl);
  const example = "https://chat.example.com";
  if (!url || !/^https?:$/.test(url.protocol))
    return [failed(name, `"${externalUrl}" is not a URL`, `Set it to a URL such as ${example}.`)];
  if (url.pathname !== "/" || url.search !== "")
    return [
      failed(name, `${externalUrl} has a path, which is not supported`, `Use a host name alone, such as ${example}.`),
    ];
  const findings: Finding[] = [];
  if (url.protocol === "http:" && !isLocal(url.hostname))
    findings.push(
      warning(name, `${externalUrl} is not encrypted`, "Use a reverse proxy with TLS, and https:// in this setting."),
    );
  if (url.protocol === "https:" && !trustProxy)
    findings.push(
      warning(
        "SKEIN_TRUST_PROXY",
        "false, although Skein is behind a proxy with TLS: all clients share the proxy's rate limit",
        "Set it to 1, or to the IP address of the proxy.",
      ),
    );
  const remedy =
    "Check the DNS record, the proxy and its certificate. If only this machine cannot reach its public address, ignore this.";
  const reached = await checkUrl(name, `${externalUrl}/health/live`, (status) => status === 200, remedy);
  return [reached.status === "failed" ? { ...reached, status: "warning" } : reached, ...findings];
}

export function checkUnsafe({ development, rateLimits, checkResponses, externalUrl }: Config): Finding[] {
  const isPublic = externalUrl !== "" && !isLocal(URL.parse(externalUrl)?.hostname ?? "");
  return [
    ...(development
      ? [
          (isPublic ? failed : warning)(
            "SKEIN_DEVELOPMENT",
            "anyone gets the API key of any account without a password",
            "Unset it, unless this is a developer's machine.",
          ),
        ]
      : []),
    ...(rateLimits
      ? []
      : [
          warning(
            "SKEIN_RATE_LIMITS",
            "off: passwords can be guessed without limit",
            "Unset it, except for load tests.",
          ),
        ]),
    ...(checkResponses ? [warning("SKEIN_CHECK_RESPONSES", "on: slow", "Unset it, except for tests.")] : []),
  ];
}
