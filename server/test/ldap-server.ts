/** A real LDAP server (OpenLDAP's slapd), as scripts/install-ldap-server unpacks it: with TLS, memberOf, and fields of Active Directory. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { Attribute, Change, Client } from "ldapts";
import { freePort } from "../src/platform/engines/free-port.ts";
import { atEndOfFile } from "./end-of-file.ts";
import { selfSigned, type SelfSigned } from "./self-signed.ts";

const root = "/usr/local/lib/skein-slapd";
const suffix = "dc=harbor,dc=test";
const admin = { dn: `cn=admin,${suffix}`, password: "admin-secret" };
export const reader = { dn: `cn=reader,${suffix}`, password: "reader-secret" };

const config = (folder: string): string => `
include ${root}/etc/ldap/schema/core.schema
include ${root}/etc/ldap/schema/cosine.schema
include ${root}/etc/ldap/schema/inetorgperson.schema
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
modulepath ${root}/usr/lib/ldap
moduleload back_mdb
moduleload memberof
TLSCertificateFile ${folder}/server.pem
TLSCertificateKeyFile ${folder}/server.key
sizelimit 500
database mdb
suffix "${suffix}"
rootdn "${admin.dn}"
rootpw ${admin.password}
directory ${folder}/data
dbnosync
index objectClass,uid,mail,entryUUID,member eq
overlay memberof
access to attrs=userPassword by self write by anonymous auth by * none
access to * by dn.exact="${reader.dn}" read by self read by anonymous auth by * none
`;

type Values = Record<string, string | string[] | Buffer>;

export class LdapServer {
  readonly url: string;
  readonly secureUrl: string;
  readonly certificate: SelfSigned;
  readonly #client: Client;

  constructor(ports: { plain: number; secure: number }, certificate: SelfSigned) {
    this.url = `ldap://127.0.0.1:${ports.plain}`;
    this.secureUrl = `ldaps://127.0.0.1:${ports.secure}`;
    this.certificate = certificate;
    this.#client = new Client({ url: this.url, timeout: 10_000 });
  }

  async begin(): Promise<void> {
    await this.#client.bind(admin.dn, admin.password);
    await this.add(suffix, { objectClass: ["dcObject", "organization"], dc: "harbor", o: "Harbor" });
    const classes = ["organizationalRole", "simpleSecurityObject"];
    await this.add(reader.dn, { objectClass: classes, cn: "reader", userPassword: reader.password });
  }

  end(): Promise<void> {
    return this.#client.unbind();
  }

  async add(dn: string, values: Values): Promise<void> {
    const attributes = Object.entries(values).map(([type, given]) => {
      const list = [given].flat();
      return new Attribute({
        type,
        values: list.map((value) => (typeof value === "string" ? Buffer.from(value) : value)),
      });
    });
    await this.#client.add(dn, attributes);
  }

  async set(dn: string, values: Record<string, string | string[]>): Promise<void> {
    const changes = Object.entries(values).map(
      ([type, given]) =>
        new Change({ operation: "replace", modification: new Attribute({ type, values: [given].flat() }) }),
    );
    await this.#client.modify(dn, changes);
  }

  remove(dn: string): Promise<void> {
    return this.#client.del(dn);
  }

  /** A part of the directory for one test. */
  async organization(): Promise<LdapOrganization> {
    const ou = `o${randomBytes(4).toString("hex")}`;
    const dn = `ou=${ou},${suffix}`;
    for (const [name, at] of [
      [ou, dn],
      ["people", `ou=people,${dn}`],
      ["groups", `ou=groups,${dn}`],
    ] as const)
      await this.add(at, { objectClass: "organizationalUnit", ou: name });
    return new LdapOrganization(this, dn);
  }
}

export class LdapOrganization {
  readonly server: LdapServer;
  readonly people: string;
  readonly groups: string;

  constructor(server: LdapServer, dn: string) {
    this.server = server;
    this.people = `ou=people,${dn}`;
    this.groups = `ou=groups,${dn}`;
  }

  /** Their password is `<uid>-secret`; returns the DN. */
  async person(uid: string, more: Values = {}): Promise<string> {
    const dn = `uid=${uid.replaceAll(/[^a-z0-9]/gi, (sign) => `\\${Buffer.from(sign).toString("hex")}`)},${this.people}`;
    await this.server.add(dn, {
      objectClass: ["inetOrgPerson", "extensibleObject"],
      uid,
      cn: uid,
      sn: uid,
      userPassword: `${uid}-secret`,
      ...more,
    });
    return dn;
  }

  async group(cn: string, member: string[]): Promise<string> {
    const dn = `cn=${cn},${this.groups}`;
    await this.server.add(dn, { objectClass: "groupOfNames", cn, member });
    return dn;
  }
}

/** It is stopped after the file's tests. */
export async function startLdapServer(): Promise<LdapServer> {
  if (!existsSync(`${root}/usr/sbin/slapd`))
    throw new Error("slapd is not there: scripts/install-ldap-server unpacks it");
  const folder = await mkdtemp(join(tmpdir(), "skein-slapd-"));
  const certificate = selfSigned("ldap.harbor.test");
  await mkdir(join(folder, "data"));
  await writeFile(join(folder, "server.pem"), certificate.certificatePem);
  await writeFile(join(folder, "server.key"), certificate.keyPem);
  await writeFile(join(folder, "slapd.conf"), config(folder));
  const ports = { plain: await freePort(), secure: await freePort() };
  const libraries = (await readdir(`${root}/usr/lib`)).map((name) => `${root}/usr/lib/${name}`).join(":");
  const urls = `ldap://127.0.0.1:${ports.plain} ldaps://127.0.0.1:${ports.secure}`;
  // With -d it stays in the foreground.
  const child = spawn(`${root}/usr/sbin/slapd`, ["-f", join(folder, "slapd.conf"), "-h", urls, "-d", "0"], {
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
  });
  let log = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (text: Buffer) => (log += text.toString()));
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`slapd ended:\n${log}`)));
  });
  ended.catch(() => undefined);
  const server = new LdapServer(ports, certificate);
  atEndOfFile(async () => {
    await server.end();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill();
      await once(child, "exit");
    }
    await rm(folder, { recursive: true });
  });
  for (;;) {
    const isUp = await Promise.race([
      server.begin().then(
        () => true,
        () => false,
      ),
      ended,
    ]);
    if (isUp) return server;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}
