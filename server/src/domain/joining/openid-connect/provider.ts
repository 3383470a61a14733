/**
 * An OpenID Connect provider, chosen by the operator for the whole server or by an organization for itself. openid-client
 * speaks the protocol and checks what comes back; this file says what we ask for, which signatures we accept, and what we
 * need to know about a person.
 */
import { createRemoteJWKSet, customFetch as keyFetch, jwtVerify, type JWTVerifyGetKey } from "jose";
import * as client from "openid-client";
import { z } from "zod";
import type { Config } from "../../../config.ts";
import { identifier, readClaims, type Claims, type Person } from "../identity-providers/person.ts";
import { ProviderProblem } from "../identity-providers/provider-problem.ts";

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  /** Empty for a public client. */
  clientSecret: string;
  /** Requested besides openid, email and profile. */
  scopes: readonly string[];
}

/** Whether the operator has chosen a provider. The client secret is optional: public clients have none. */
export const isOpenIdSetUp = ({ openIdIssuer, openIdClientId }: Config): boolean =>
  openIdIssuer !== "" && openIdClientId !== "";

/** The provider that the operator has chosen. */
export const operatorsProvider = ({ openIdIssuer, openIdClientId, openIdClientSecret }: Config): ProviderSettings => ({
  issuer: openIdIssuer,
  clientId: openIdClientId,
  clientSecret: openIdClientSecret,
  scopes: [],
});

/**
 * Signatures that only the provider can make. An algorithm with a shared secret, or none, is never accepted, even if the
 * provider lists it.
 */
const acceptedAlgorithms = new Set(
  ["RS", "PS", "ES"].flatMap((family) => [256, 384, 512].map((bits) => `${family}${bits}`)).concat("EdDSA", "Ed25519"),
);

const logoutForm = z
  .looseObject({
    iss: z.string(),
    jti: z.string().min(1),
    sub: identifier.optional(),
    sid: identifier.optional(),
    events: z.looseObject({ "http://schemas.openid.net/event/backchannel-logout": z.looseObject({}) }),
    // An ID token must not pass for a logout token.
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined, "it names neither a person nor a session");
/** What a provider reports when somebody signs out there. */
export type Logout = z.output<typeof logoutForm>;

/** What we remember of a sign-in until the browser comes back. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  /** The PKCE secret: proves that the code is redeemed by the party that requested it. */
  verifier: string;
  redirectUri: string;
}

const timeoutSeconds = 10;
/** How long a logout token is accepted after it was issued. */
export const logoutSeconds = 120;
const cacheMilliseconds = 3600_000;
const clockToleranceSeconds = 60;

export class OpenIdProvider {
  readonly #settings: ProviderSettings;
  readonly #fetch: client.CustomFetch;
  #discovered: { configuration: Promise<client.Configuration>; at: number } | undefined;
  #keys: { url: string; get: JWTVerifyGetKey } | undefined;

  constructor(settings: ProviderSettings, fetch: client.CustomFetch) {
    this.#settings = settings;
    this.#fetch = fetch;
  }

  /** The URL the browser is sent to. */
  async authorizationUrl(
    { state, nonce, verifier, redirectUri }: PendingSignIn,
    { forceLogin }: { forceLogin: boolean },
  ): Promise<string> {
    const configuration = await this.#configuration();
    const parameters = {
      redirect_uri: new URL(redirectUri).href,
      scope: [...new Set(["openid", "email", "profile", ...this.#settings.scopes])].join(" "),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...(forceLogin ? { prompt: "login" } : {}),
    };
    return orProblem("starting a sign-in", () => client.buildAuthorizationUrl(configuration, parameters).href);
  }

  /** Identifies the person who has come back with these parameters. */
  async identify(returned: ReadonlyMap<string, string>, pending: PendingSignIn, groupsClaim = ""): Promise<Person> {
    const configuration = await this.#configuration();
    const url = new URL(pending.redirectUri);
    url.search = new URLSearchParams([...returned]).toString();
    const tokens = await orProblem("redeeming the code", () =>
      client.authorizationCodeGrant(configuration, url, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.verifier,
        idTokenExpected: true,
      }),
    );
    const claims = tokens.claims();
    // The library checks when a token ends and begins, but not that it was issued in the past.
    if (!claims || claims.iat > Date.now() / 1000 + clockToleranceSeconds)
      throw new ProviderProblem("the ID token was issued in the future");
    const person = readClaims(claims, "the ID token");
    const session = { issuer: claims.iss, sid: identifier.safeParse(claims["sid"]).data };
    const groupsOf = (stated: Claims) => (groupsClaim === "" ? undefined : stated[groupsClaim]);
    const isComplete = person.email !== undefined && (groupsClaim === "" || groupsOf(person) !== undefined);
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined)
      return { ...person, ...session, groups: groupsOf(person) };
    const response = await orProblem("fetching user info", () =>
      client.fetchUserInfo(configuration, tokens.access_token, person.sub),
    );
    const info = readClaims(response, "the user info");
    // Whether an address is verified is said by whoever names the address.
    const { email, email_verified } = person.email === undefined ? info : person;
    const groups = groupsOf({ ...info, ...person });
    return { ...info, ...person, email, email_verified, ...session, groups };
  }

  /** Reads what the provider reports when somebody signs out there. Throws unless it comes from this provider, for us. */
  async readLogout(token: string): Promise<Logout> {
    const configuration = await this.#configuration();
    const { issuer, id_token_signing_alg_values_supported: algorithms = [] } = configuration.serverMetadata();
    const { payload, protectedHeader } = await orProblem("reading a logout token", () =>
      jwtVerify(token, this.#keysOf(configuration), {
        issuer,
        audience: this.#settings.clientId,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        maxTokenAge: logoutSeconds,
      }),
    );
    if (protectedHeader.typ !== undefined && !/^(application\/)?(logout\+)?jwt$/i.test(protectedHeader.typ))
      throw new ProviderProblem("the logout token is a token of another type");
    const { data, error } = logoutForm.safeParse(payload);
    if (error) throw new ProviderProblem(`the logout token is invalid: ${z.prettifyError(error)}`);
    return data;
  }

  /** Fetches the provider's configuration and keys again; returns the algorithms it may sign with. */
  async test(): Promise<string[]> {
    this.#discovered = undefined;
    const configuration = await this.#configuration();
    const { jwks_uri = "", id_token_signing_alg_values_supported: algorithms = [] } = configuration.serverMetadata();
    if (algorithms.length === 0) throw new ProviderProblem("it signs with no algorithm that is accepted");
    const keys = createRemoteJWKSet(new URL(jwks_uri), { [keyFetch]: this.#fetchKeys });
    await orProblem("reading its keys", () => keys.reload());
    return algorithms;
  }

  /** The provider's keys. They are fetched when they are needed, and again for an unknown one, but not often. */
  #keysOf(configuration: client.Configuration): JWTVerifyGetKey {
    const { jwks_uri: url = "" } = configuration.serverMetadata();
    if (this.#keys?.url !== url)
      this.#keys = { url, get: createRemoteJWKSet(new URL(url), { [keyFetch]: this.#fetchKeys }) };
    return this.#keys.get;
  }

  readonly #fetchKeys = (url: string, { headers, signal }: { headers: Headers; signal: AbortSignal }) =>
    this.#fetch(url, { method: "GET", headers: Object.fromEntries(headers), body: null, redirect: "manual", signal });

  #configuration(): Promise<client.Configuration> {
    if (!this.#discovered || Date.now() - this.#discovered.at > cacheMilliseconds) {
      const configuration = orProblem("reading its configuration", () => discover(this.#settings, this.#fetch));
      this.#discovered = { configuration, at: Date.now() };
      configuration.catch(() => (this.#discovered = undefined));
    }
    return this.#discovered.configuration;
  }
}

async function discover(settings: ProviderSettings, fetch: client.CustomFetch): Promise<client.Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  // Plain HTTP is allowed by the settings on this machine only; every other endpoint has to be HTTPS.
  const isPlain = issuer.startsWith("http:");
  const found = await client.discovery(
    new URL(`${issuer}/.well-known/openid-configuration`),
    clientId,
    undefined,
    undefined,
    {
      [client.customFetch]: fetch,
      timeout: timeoutSeconds,
      // oxlint-disable-next-line typescript/no-deprecated -- deprecated so that nobody uses it without noticing
      execute: isPlain ? [client.allowInsecureRequests] : [],
    },
  );
  const server: client.ServerMetadata = { ...found.serverMetadata() };
  // Some issuers end in a slash, and their ID tokens repeat it.
  if (server.issuer.replace(/\/+$/, "") !== issuer)
    throw new ProviderProblem(`its issuer is ${JSON.stringify(server.issuer.slice(0, 200))}, which is not the one set`);
  const { jwks_uri, token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
  if (jwks_uri === undefined) throw new ProviderProblem("it names no keys");
  const algorithms = (server.id_token_signing_alg_values_supported ?? [...acceptedAlgorithms]).filter((name) =>
    acceptedAlgorithms.has(name),
  );
  const configuration = new client.Configuration(
    { ...server, id_token_signing_alg_values_supported: algorithms },
    clientId,
    { [client.clockTolerance]: clockToleranceSeconds },
    authentication(clientSecret, methods),
  );
  configuration[client.customFetch] = fetch;
  configuration.timeout = timeoutSeconds;
  // oxlint-disable-next-line typescript/no-deprecated -- as above
  if (isPlain) client.allowInsecureRequests(configuration);
  // Without this the library trusts a token because it came over TLS, and does not verify its signature.
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

function authentication(secret: string, methods: string[]): client.ClientAuth {
  if (secret === "") return client.None();
  return methods.includes("client_secret_basic") ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}

/**
 * Whatever the library throws is the provider's failure. Only messages are kept: the library attaches responses as causes,
 * which hold tokens and must not reach the log.
 */
async function orProblem<T>(doing: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new ProviderProblem(`${doing} failed: ${messages(error).join(": ")}`);
  }
}

function messages(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const detail = error instanceof client.ResponseBodyError ? [error.error.slice(0, 100)] : [];
  return [error.message, ...detail, ...messages(error.cause)];
}
