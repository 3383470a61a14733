/**
 * The OpenID Connect provider that the operator has chosen. openid-client speaks the protocol and checks what comes back;
 * this file says what we ask for, which signatures we accept, and what we need to know about a person.
 */
import * as client from "openid-client";
import { z } from "zod";
import type { Config } from "../../../config.ts";
import { boundedFetch } from "./bounded-fetch.ts";

export type ProviderSettings = Pick<Config, "openIdIssuer" | "openIdClientId" | "openIdClientSecret">;

/** The provider failed or returned something invalid. The reason is for the log: users can do nothing about it. */
export class ProviderProblem extends Error {
  override name = "ProviderProblem";
}

/** The client secret is optional: public clients have none. */
export const isOpenIdSetUp = ({ openIdIssuer, openIdClientId }: ProviderSettings): boolean =>
  openIdIssuer !== "" && openIdClientId !== "";

/**
 * Signatures that only the provider can make. An algorithm with a shared secret, or none, is never accepted, even if the
 * provider lists it.
 */
const acceptedAlgorithms = new Set(
  ["RS", "PS", "ES"].flatMap((family) => [256, 384, 512].map((bits) => `${family}${bits}`)).concat("EdDSA", "Ed25519"),
);

/** What we need to know about a person. An e-mail address that the provider has not verified proves nothing. */
const personForm = z.looseObject({
  sub: z.string().min(1),
  email: z.string().optional(),
  // Some providers send a string.
  email_verified: z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]).optional(),
});
export type Person = z.output<typeof personForm>;

/** What we remember of a sign-in until the browser comes back. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  /** The PKCE secret: proves that the code is redeemed by the party that requested it. */
  verifier: string;
  redirectUri: string;
}

const timeoutSeconds = 10;
const cacheMilliseconds = 3600_000;
const clockToleranceSeconds = 60;

export class OpenIdProvider {
  readonly #settings: ProviderSettings;
  #discovered: { configuration: Promise<client.Configuration>; at: number } | undefined;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
  }

  /** The URL the browser is sent to. */
  async authorizationUrl(
    { state, nonce, verifier, redirectUri }: PendingSignIn,
    { forceLogin }: { forceLogin: boolean },
  ): Promise<string> {
    const configuration = await this.#configuration();
    const parameters = {
      redirect_uri: new URL(redirectUri).href,
      scope: "openid email profile",
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...(forceLogin ? { prompt: "login" } : {}),
    };
    return orProblem("starting a sign-in", () => client.buildAuthorizationUrl(configuration, parameters).href);
  }

  /** Identifies the person who has come back with these parameters. */
  async identify(returned: ReadonlyMap<string, string>, pending: PendingSignIn): Promise<Person> {
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
    const person = readPerson(claims, "the ID token");
    if (person.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined) return person;
    const info = await orProblem("fetching user info", () =>
      client.fetchUserInfo(configuration, tokens.access_token, person.sub),
    );
    return readPerson(info, "the user info");
  }

  #configuration(): Promise<client.Configuration> {
    if (!this.#discovered || Date.now() - this.#discovered.at > cacheMilliseconds) {
      const configuration = orProblem("reading its configuration", () => discover(this.#settings));
      this.#discovered = { configuration, at: Date.now() };
      configuration.catch(() => (this.#discovered = undefined));
    }
    return this.#discovered.configuration;
  }
}

async function discover(settings: ProviderSettings): Promise<client.Configuration> {
  const { openIdIssuer, openIdClientId, openIdClientSecret: secret } = settings;
  // Plain HTTP is allowed by the settings on this machine only; every other endpoint has to be HTTPS.
  const isPlain = openIdIssuer.startsWith("http:");
  const found = await client.discovery(
    new URL(`${openIdIssuer}/.well-known/openid-configuration`),
    openIdClientId,
    undefined,
    undefined,
    {
      [client.customFetch]: boundedFetch,
      timeout: timeoutSeconds,
      // oxlint-disable-next-line typescript/no-deprecated -- deprecated so that nobody uses it without noticing
      execute: isPlain ? [client.allowInsecureRequests] : [],
    },
  );
  const server: client.ServerMetadata = { ...found.serverMetadata() };
  // Some issuers end in a slash, and their ID tokens repeat it.
  if (server.issuer.replace(/\/+$/, "") !== openIdIssuer)
    throw new ProviderProblem(`its issuer is ${JSON.stringify(server.issuer.slice(0, 200))}, which is not the one set`);
  const { jwks_uri, token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
  if (jwks_uri === undefined) throw new ProviderProblem("it names no keys");
  const algorithms = (server.id_token_signing_alg_values_supported ?? [...acceptedAlgorithms]).filter((name) =>
    acceptedAlgorithms.has(name),
  );
  const configuration = new client.Configuration(
    { ...server, id_token_signing_alg_values_supported: algorithms },
    openIdClientId,
    { [client.clockTolerance]: clockToleranceSeconds },
    authentication(secret, methods),
  );
  configuration[client.customFetch] = boundedFetch;
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

function readPerson(claims: unknown, source: string): Person {
  const { data, error } = personForm.safeParse(claims);
  if (error) throw new ProviderProblem(`${source} is invalid: ${z.prettifyError(error)}`);
  return data;
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
