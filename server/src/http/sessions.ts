/**
 * Who is asking. A node remembers the accounts behind the keys and cookies it has seen, so that a request need not ask
 * the database who calls; but nothing is decided on what is remembered alone. An account and its organization each carry
 * a version that every change raises, and whoever acts on a remembered account has that version compared:
 *
 *  - by a statement of its own before the handler runs (`verify`), the way of most endpoints;
 *  - inside the statement that acts (hot paths), which throws `StaleSession` when the version has moved;
 *  - through the event log (reading events), which announces every change of an account in commit order.
 *
 * **Invariant:** a request that starts after a revocation was answered is judged by it, on every node.
 */
import { hash } from "node:crypto";
import { sql, type Selectable } from "kysely";
import { invalidApiKey, notSignedIn, unauthorized, type ApiError } from "../errors.ts";
import { prepared, type Db } from "../platform/db/connect.ts";
import type { RealmsTable, UsersTable } from "../platform/db/schema.ts";

export type Realm = Selectable<RealmsTable>;
/** An account that may act, with its organization. `rank` is the role, or 390 for a full member. */
export type User = Omit<Selectable<UsersTable>, "password_hash"> & { realm: Realm; rank: number };

/** The account changed since it was remembered: forget it, authenticate anew, and repeat the request. */
export class StaleSession extends Error {
  override name = "StaleSession";
}

export interface KeyCredentials {
  /** Undefined where the key alone has to do: an address of a file that carries it. */
  email: string | undefined;
  keyHash: Buffer;
}

/** What a browser shows that is signed in. */
export interface CookieCredentials {
  tokenHash: Buffer;
}

export type Credentials = KeyCredentials | CookieCredentials;

/** What is said of credentials that open nothing, or nothing here, in the words of the way they came. */
export function openNothing(credentials: Credentials): ApiError {
  if (!("keyHash" in credentials)) return notSignedIn();
  return credentials.email === undefined ? invalidApiKey() : unauthorized("Invalid API key");
}

interface Remembered {
  user: User;
  /** When to look at the row again, in milliseconds. */
  until: number;
}

const remembered = 100_000;
const visibilityTries = 100;
/** A browser in use is read anew once in so long, which notes when it was used last. */
const cookieMilliseconds = 3_600_000;

export class Sessions {
  readonly #db: Db;
  readonly #byKey = new Map<string, Remembered>();
  readonly #keysOf = new Map<number, Set<string>>();
  /** Versions the log has announced; a row older than that was read before its change became visible. */
  readonly #announced = new Map<number, number>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** The account these credentials belong to, remembered or read; throws when there is none that may act. */
  async find(credentials: Credentials): Promise<User> {
    const isKey = "keyHash" in credentials;
    const user = await (isKey ? this.#findByKey(credentials) : this.#findByCookie(credentials));
    if (!user) throw openNothing(credentials);
    return user;
  }

  async #findByCookie({ tokenHash }: CookieCredentials): Promise<User | undefined> {
    // A name of its own: a token is no key, nor a key a token.
    const key = `cookie ${tokenHash.toString("base64")}`;
    return this.#known(key) ?? this.#load(key, accountOfCookie, tokenHash);
  }

  async #findByKey({ email, keyHash }: KeyCredentials): Promise<User | undefined> {
    const key = keyHash.toString("base64");
    const isTheirs = (user: User) => email === undefined || user.delivery_email.toLowerCase() === email.toLowerCase();
    const known = this.#known(key);
    if (known && isTheirs(known)) return known;
    // What is remembered may be older than the address: only the row itself can refuse it.
    const user = await this.#load(key, accountOfKey, keyHash);
    return user && isTheirs(user) ? user : undefined;
  }

  #known(key: string): User | undefined {
    const known = this.#byKey.get(key);
    return known && known.until > Date.now() ? known.user : undefined;
  }

  /** Asks the database whether what is remembered still holds. */
  async verify(user: User): Promise<void> {
    const rows = await prepared<{ current: boolean }>(this.#db, isCurrent, [
      user.id,
      user.version,
      user.realm.id,
      user.realm.version,
    ]);
    if (!rows[0]?.current) throw new StaleSession();
  }

  /** Whether this is still what is remembered: nothing announced since has replaced it. */
  isCurrent(user: User): boolean {
    if (user.version < (this.#announced.get(user.id) ?? 0)) return false;
    const [key] = this.#keysOf.get(user.id) ?? [];
    return key !== undefined;
  }

  forget(userId: number): void {
    for (const key of this.#keysOf.get(userId) ?? []) this.#byKey.delete(key);
    this.#keysOf.delete(userId);
  }

  /** The log says that an account has a new version. */
  announce(userId: number, version: number): void {
    this.#announced.delete(userId);
    this.#announced.set(userId, version);
    if (this.#announced.size > remembered) this.#announced.delete(this.#announced.keys().next().value ?? 0);
    const [key] = this.#keysOf.get(userId) ?? [];
    const known = key === undefined ? undefined : this.#byKey.get(key)?.user;
    if (known && known.version < version) this.forget(userId);
  }

  forgetRealm(realmId: number): void {
    for (const { user } of this.#byKey.values()) if (user.realm_id === realmId) this.forget(user.id);
  }

  async #load(key: string, accountOf: typeof accountOfKey, secretHash: Buffer): Promise<User | undefined> {
    for (let patience = visibilityTries; ; patience--) {
      const [found] = await prepared<FoundRow>(this.#db, accountOf, [secretHash]);
      if (!found) return undefined;
      const { expires_at, ...row } = found;
      const user = toUser(row);
      if (!user.is_active || user.realm.deactivated) return undefined;
      // The log can be faster than the commit's becoming visible, mostly by microseconds. Until then the change has
      // not been answered, so the old row still holds; but it is not to be remembered.
      const isOld = user.version < (this.#announced.get(user.id) ?? 0);
      if (!isOld) this.#remember(key, { user, until: untilWhen(expires_at) });
      if (!isOld || patience === 0) return user;
      await new Promise((resume) => setTimeout(resume, 5));
    }
  }

  #remember(key: string, known: Remembered): void {
    if (this.#byKey.size >= remembered) {
      const oldest = this.#byKey.values().next().value;
      if (oldest) this.forget(oldest.user.id);
    }
    const { user } = known;
    this.#byKey.set(key, known);
    const keys = this.#keysOf.get(user.id) ?? new Set();
    keys.add(key);
    this.#keysOf.set(user.id, keys);
  }
}

const isCurrent = {
  name: "session-is-current",
  text: `select exists (
    select from users u join realms r on r.id = u.realm_id
    where u.id = $1 and u.version = $2 and r.id = $3 and r.version = $4
  ) as current`,
};

/** The account behind an id, without a key and not remembered: for work done later in its name. */
export async function accountById(db: Db, userId: number): Promise<User | undefined> {
  const { rows } = await sql<UserRow>`
    select u.*, to_jsonb(r) as realm_row, rank_of(u.role, u.date_joined, r.waiting_period_threshold) as rank
    from users u join realms r on r.id = u.realm_id
    where u.id = ${userId} and u.is_active and not r.deactivated`.execute(db);
  return rows[0] && toUser(rows[0]);
}

type UserRow = Selectable<UsersTable> & { realm_row: Record<string, unknown>; rank: number };

type FoundRow = UserRow & { expires_at: Date | null };

/** A key lasts until it is taken away. */
const untilWhen = (expiresAt: Date | null): number =>
  expiresAt === null ? Infinity : Math.min(expiresAt.getTime(), Date.now() + cookieMilliseconds);

const accountOfKey = {
  name: "session-account-of-key",
  text: `select u.*, to_jsonb(r) as realm_row, rank_of(u.role, u.date_joined, r.waiting_period_threshold) as rank,
      null::timestamptz as expires_at
    from api_keys k join users u on u.id = k.user_id join realms r on r.id = u.realm_id
    where k.key_hash = $1`,
};

const accountOfCookie = {
  name: "session-account-of-cookie",
  text: `with used as (
      update browser_sessions set last_used_at = now()
      where token_hash = $1 and last_used_at < now() - interval '1 hour' and expires_at > now()
    )
    select u.*, to_jsonb(r) as realm_row, rank_of(u.role, u.date_joined, r.waiting_period_threshold) as rank,
      s.expires_at
    from browser_sessions s join users u on u.id = s.user_id join realms r on r.id = u.realm_id
    where s.token_hash = $1 and s.expires_at > now()`,
};

function toUser({ realm_row, password_hash: _, ...row }: UserRow): User {
  // to_jsonb writes a row with its column names; only the time needs reading back.
  const realm = { ...realm_row, date_created: new Date(String(realm_row["date_created"])) } as Realm;
  return { ...row, realm };
}

/** A key is found by its hash, so that no comparison can be timed and no stolen table holds a key. */
export const hashKey = (key: string): Buffer => hash("sha256", key, "buffer");

/** The credentials of an Authorization header; throws when it carries none. */
export function readCredentials(header: string | undefined): KeyCredentials {
  if (header === undefined || header === "") throw unauthorized("Missing authorization header for basic auth");
  const [scheme, encoded] = header.split(" ", 2);
  if (scheme?.toLowerCase() !== "basic") throw unauthorized("This endpoint requires HTTP basic authentication.");
  const decoded = Buffer.from(encoded ?? "", "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon < 0) throw unauthorized("Invalid authorization header for basic auth");
  return { email: decoded.slice(0, colon), keyHash: hashKey(decoded.slice(colon + 1)) };
}
