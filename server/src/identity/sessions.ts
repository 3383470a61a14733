/**
 * Authenticates callers. A node caches the accounts for the API keys and cookies it has seen, so that a request need not
 * query the database; but no decision rests on the cache alone. An account and its organization each have a version that
 * every change increases, and before a cached account is used that version is checked:
 *
 *  - by a separate statement before the handler runs (`verify`), as for most endpoints;
 *  - inside the statement that makes the change (hot paths), which throws `StaleSession` if the version has changed;
 *  - through the event log (reading events), which announces every change of an account in commit order.
 *
 * **Invariant:** a request that starts after the response to a revocation respects it, on every node.
 */
import { hash } from "node:crypto";
import { apiKeyExpired, beingMoved, invalidApiKey, notSignedIn, unauthorized, type ApiError } from "../errors.ts";
import { BatchedReads } from "../platform/db/batched-reads.ts";
import { prepared, type Db } from "../platform/db/connect.ts";
import { toUser, type Credential, type User, type UserRow } from "./account.ts";
import { hourOf, KeyUses, neverUsed } from "./key-uses.ts";

/** The account has changed since it was cached: drop it, authenticate again, and repeat the request. */
export class StaleSession extends Error {
  override name = "StaleSession";
}

/** In base64. Every request hashes its secret, and making a Buffer of the hash would cost more than hashing. */
export type SecretHash = string;

export interface KeyCredentials {
  /** Undefined if there is only the key, as in the URL of a file. */
  email: string | undefined;
  keyHash: SecretHash;
}

/** The credentials of a signed-in browser. */
export interface CookieCredentials {
  tokenHash: SecretHash;
}

export type Credentials = KeyCredentials | CookieCredentials;

/** The error for credentials that are invalid, or invalid for this host, depending on their kind. */
export function invalidCredentials(credentials: Credentials): ApiError {
  if (!("keyHash" in credentials)) return notSignedIn();
  return credentials.email === undefined ? invalidApiKey() : unauthorized("Invalid API key");
}

interface CachedAccount {
  user: User;
  /** When to load the row again, in milliseconds. */
  until: number;
}

const maxCached = 100_000;
const visibilityAttempts = 100;
/** How often the session of a browser in use is loaded again, which records when it was last used. */
const cookieMilliseconds = 3_600_000;

export class Sessions {
  readonly #db: Db;
  /** When and from where keys were last used. */
  readonly keyUses: KeyUses;
  readonly #ofKeys: Accounts;
  readonly #ofCookies: Accounts;
  readonly #byKey = new Map<string, CachedAccount>();
  readonly #keysOf = new Map<number, Set<string>>();
  /** Unknown keys with expiry times. New keys are random, so a new key cannot be one of these. */
  readonly #unknown = new Map<string, number>();
  /** Versions announced by the log; an older row was read before its change became visible. */
  readonly #announced = new Map<number, number>();

  constructor(db: Db) {
    this.#db = db;
    this.keyUses = new KeyUses(db);
    this.#ofKeys = new BatchedReads((hashes) => findAccountsOfKeys(db, hashes));
    this.#ofCookies = new BatchedReads((hashes) => findAccountsOfCookies(db, hashes));
  }

  /** The account these credentials belong to, from the cache or the database; throws if there is no active one. */
  async find(credentials: Credentials): Promise<User> {
    const isKey = "keyHash" in credentials;
    const user = await (isKey ? this.#findByKey(credentials) : this.#findByCookie(credentials));
    if (!user) throw invalidCredentials(credentials);
    return user;
  }

  /** Whether the credentials can be checked without a database query. */
  isCached(credentials: Credentials): boolean {
    if (!("keyHash" in credentials)) return this.#known(cookieName(credentials)) !== undefined;
    const known = this.#known(keyName(credentials));
    return known !== undefined && hasEmail(credentials, known);
  }

  async #findByCookie(credentials: CookieCredentials): Promise<User | undefined> {
    const key = cookieName(credentials);
    return this.#known(key) ?? this.#load(key, this.#ofCookies, credentials.tokenHash);
  }

  async #findByKey(credentials: KeyCredentials): Promise<User | undefined> {
    const key = keyName(credentials);
    const known = this.#known(key);
    if (known && hasEmail(credentials, known)) return known;
    // The cached account may have an old e-mail address: only the row itself is conclusive.
    const user = await this.#load(key, this.#ofKeys, credentials.keyHash);
    return user && hasEmail(credentials, user) ? user : undefined;
  }

  #known(key: string): User | undefined {
    const known = this.#byKey.get(key);
    return known && known.until > Date.now() ? known.user : undefined;
  }

  /** Checks with the database whether the cached account is still current. */
  async verify(user: User): Promise<void> {
    const rows = await prepared<{ current: boolean }>(this.#db, isCurrent, [
      user.id,
      user.version,
      user.realm.id,
      user.realm.version,
    ]);
    if (!rows[0]?.current) throw new StaleSession();
  }

  /** Whether the cached account is still current: no newer version was announced, and its credential has not expired. */
  isCurrent(user: User): boolean {
    if (user.credential && user.credential.expiresAt <= Date.now()) return false;
    if (user.version < (this.#announced.get(user.id) ?? 0)) return false;
    const [key] = this.#keysOf.get(user.id) ?? [];
    return key !== undefined;
  }

  forget(userId: number): void {
    for (const key of this.#keysOf.get(userId) ?? []) this.#byKey.delete(key);
    this.#keysOf.delete(userId);
  }

  /** Called when the log announces a new version of an account. */
  announce(userId: number, version: number): void {
    this.#announced.delete(userId);
    this.#announced.set(userId, version);
    if (this.#announced.size > maxCached) this.#announced.delete(this.#announced.keys().next().value ?? 0);
    const [key] = this.#keysOf.get(userId) ?? [];
    const known = key === undefined ? undefined : this.#byKey.get(key)?.user;
    if (known && known.version < version) this.forget(userId);
  }

  /** Called when a new log begins: the database may have been restored to older versions than those announced. */
  forgetAll(): void {
    this.forgetAccounts();
    this.#announced.clear();
  }

  /** Called when the database may have lost transactions that the log never announced. */
  forgetAccounts(): void {
    this.#byKey.clear();
    this.#keysOf.clear();
  }

  forgetRealm(realmId: number): void {
    for (const { user } of this.#byKey.values()) if (user.realm_id === realmId) this.forget(user.id);
  }

  async #load(key: string, accounts: Accounts, secretHash: SecretHash): Promise<User | undefined> {
    for (let attemptsLeft = visibilityAttempts; ; attemptsLeft--) {
      if ((this.#unknown.get(key) ?? 0) > Date.now()) return undefined;
      const found = await accounts.find(secretHash);
      if (!found) {
        this.#cacheUnknown(key);
        return undefined;
      }
      const { credential_id, stored_hash, expires_at, scopes, last_used_at, ...row } = found;
      const user = toUser(row);
      if (user.realm.moved_to !== null) throw beingMoved();
      if (!user.is_active || user.realm.deactivated) return undefined;
      const isKey = accounts === this.#ofKeys;
      const expiresAt = expires_at?.getTime() ?? Infinity;
      if (isKey && expiresAt <= Date.now()) throw apiKeyExpired();
      const credential: Credential = {
        kind: isKey ? "api_key" : "session",
        id: credential_id,
        storedHash: stored_hash,
        scopes: scopes === null ? undefined : new Set(scopes),
        expiresAt,
        recordedHour: last_used_at === null ? neverUsed : hourOf(last_used_at.getTime()),
      };
      user.credential = credential;
      // The log can announce a commit before it becomes visible, mostly by microseconds. Until then the change has got
      // no response, so the old row is still valid, but it must not be cached.
      const isOld = user.version < (this.#announced.get(user.id) ?? 0);
      if (!isOld) this.#cache(key, { user, until: isKey ? expiresAt : cookieUntil(expiresAt) });
      if (!isOld || attemptsLeft === 0) return user;
      await new Promise((resume) => setTimeout(resume, 5));
    }
  }

  #cacheUnknown(key: string): void {
    if (this.#unknown.size >= maxUnknown) this.#unknown.clear();
    this.#unknown.set(key, Date.now() + unknownMilliseconds);
  }

  #cache(key: string, known: CachedAccount): void {
    if (this.#byKey.size >= maxCached) {
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

const maxUnknown = 10_000;
const unknownMilliseconds = 30_000;

const keyName = ({ keyHash }: KeyCredentials): string => keyHash;
/** A distinct prefix, because a token must never match an API key. */
const cookieName = ({ tokenHash }: CookieCredentials): string => `cookie ${tokenHash}`;

const hasEmail = ({ email }: KeyCredentials, user: User): boolean =>
  email === undefined || user.delivery_email.toLowerCase() === email.toLowerCase();

const isCurrent = {
  name: "session-is-current",
  text: `select exists (
    select from users u join realms r on r.id = u.realm_id
    where u.id = $1 and u.version = $2 and r.id = $3 and r.version = $4
  ) as current`,
};

type FoundRow = UserRow & {
  credential_id: number;
  stored_hash: Buffer;
  expires_at: Date | null;
  scopes: string[] | null;
  last_used_at: Date | null;
};

const cookieUntil = (expiresAt: number): number => Math.min(expiresAt, Date.now() + cookieMilliseconds);

type Accounts = BatchedReads<SecretHash, FoundRow>;

const accountsOfKeys = {
  name: "session-accounts-of-keys",
  text: `select u.*, to_jsonb(r) as realm_row, rank_of(u.role, u.date_joined, r.waiting_period_threshold) as rank,
      k.id as credential_id, k.key_hash as stored_hash, k.expires_at, k.scopes, k.last_used_at, asked.hash as asked_hash
    from unnest($1::bytea[], $2::bytea[]) as asked (hash, hash_of_hash)
      join api_keys k on k.key_hash = asked.hash or (k.key_hash = asked.hash_of_hash and k.kind = 'personal')
      join users u on u.id = k.user_id
      join realms r on r.id = u.realm_id`,
};

/** Personal keys are stored hashed twice (see `hashPersonalKey`). */
async function findAccountsOfKeys(db: Db, hashes: SecretHash[]): Promise<Map<SecretHash, FoundRow>> {
  const asked = hashes.map(hashBytes);
  const rows = await prepared<FoundRow & { asked_hash: Buffer }>(db, accountsOfKeys, [
    asked,
    asked.map((bytes) => hash("sha256", bytes, "buffer")),
  ]);
  return new Map(rows.map(({ asked_hash, ...row }) => [asked_hash.toString("base64"), row]));
}

const accountsOfCookies = {
  name: "session-accounts-of-cookies",
  text: `with due as (
      select token_hash from browser_sessions
      where token_hash = any($1) and last_used_at < now() - interval '1 hour' and expires_at > now()
      for no key update skip locked
    ), used as (
      update browser_sessions s set last_used_at = now() from due where s.token_hash = due.token_hash
    )
    select u.*, to_jsonb(r) as realm_row, rank_of(u.role, u.date_joined, r.waiting_period_threshold) as rank,
      s.id as credential_id, s.token_hash as stored_hash, s.expires_at, null::text[] as scopes, s.last_used_at
    from browser_sessions s join users u on u.id = s.user_id join realms r on r.id = u.realm_id
    where s.token_hash = any($1) and s.expires_at > now()`,
};

async function findAccountsOfCookies(db: Db, hashes: SecretHash[]): Promise<Map<SecretHash, FoundRow>> {
  const rows = await prepared<FoundRow>(db, accountsOfCookies, [hashes.map(hashBytes)]);
  return new Map(rows.map((row) => [row.stored_hash.toString("base64"), row]));
}

/** Keys are looked up by their hash, which prevents timing attacks and keeps keys out of a stolen table. */
export const hashSecret = (secret: string): SecretHash => hash("sha256", secret, "base64");

/** The hash as it is stored. */
export const hashBytes = (secretHash: SecretHash): Buffer => Buffer.from(secretHash, "base64");

export const hashKey = (key: string): Buffer => hashBytes(hashSecret(key));

/**
 * The hash of a key that may have scopes or an end, as it is stored: hashed twice, so that nodes of the previous release,
 * which know neither, do not find the key.
 */
export const hashPersonalKey = (key: string): Buffer => hash("sha256", hashKey(key), "buffer");
