/**
 * The provider of OpenID Connect that the operator has chosen: where things are there, the keys it signs with, and what it
 * says of somebody who comes back from it with a code. Nothing it says is believed before it is checked.
 *
 * Its address is the operator's choice, so it may be on a private network; its answers are limited in time and size.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Config } from "../../config.ts";
import { audienceOf, isInTime, isSignedWithKey, readWebToken, type Claims } from "../../platform/json-web-token.ts";
import { askForJson, ProviderProblem } from "./ask-for-json.ts";

export type ProviderSettings = Pick<Config, "openIdIssuer" | "openIdClientId" | "openIdClientSecret">;

/** Both are needed to be known there. */
export const isOpenIdSetUp = ({ openIdIssuer, openIdClientId }: ProviderSettings): boolean =>
  openIdIssuer !== "" && openIdClientId !== "";

const placesForm = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  userinfo_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(["client_secret_basic"]),
});
type Places = z.output<typeof placesForm>;

const keysForm = z.looseObject({
  keys: z.array(z.looseObject({ kid: z.string().optional(), use: z.string().optional() })).max(100),
});
type Key = z.output<typeof keysForm>["keys"][number];

const tokensForm = z.looseObject({ id_token: z.string(), access_token: z.string().optional() });

/** What we ask about somebody. An address nobody has looked into proves nothing. */
const personForm = z.looseObject({
  sub: z.string().min(1),
  email: z.string().optional(),
  // Some write it as a text.
  email_verified: z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]).optional(),
});
export type Person = z.output<typeof personForm>;

/** What is to be known again when somebody comes back. */
export interface Errand {
  state: string;
  nonce: string;
  /** Shows that who asks with the code is who sent for it. */
  verifier: string;
  redirectUri: string;
}

const keptMilliseconds = 3600_000;
/** A key nobody knows makes us look again, but not each time that somebody makes one up. */
const keyPauseMilliseconds = 60_000;
/** Clocks differ. */
const leewaySeconds = 60;

export class OpenIdProvider {
  readonly #settings: ProviderSettings;
  #places: { found: Promise<Places>; at: number } | undefined;
  #keys: { found: Promise<Key[]>; at: number } | undefined;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
  }

  /** Where the browser is sent, to sign in there. */
  async addressFor(
    { state, nonce, verifier, redirectUri }: Errand,
    { isAskedAgain }: { isAskedAgain: boolean },
  ): Promise<string> {
    const { authorization_endpoint } = await this.#findPlaces();
    const url = new URL(authorization_endpoint);
    const parameters = {
      response_type: "code",
      client_id: this.#settings.openIdClientId,
      redirect_uri: redirectUri,
      scope: "openid email profile",
      state,
      nonce,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      ...(isAskedAgain ? { prompt: "login" } : {}),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Who has come back with this code. */
  async identify(code: string, errand: Errand): Promise<Person> {
    const places = await this.#findPlaces();
    const answer = await this.#tradeCode(places, code, errand);
    const claims = await this.#verify(places, answer.id_token, errand.nonce);
    const person = personForm.safeParse(claims);
    if (!person.success) throw new ProviderProblem("the ID token says nothing of who it is about");
    const { userinfo_endpoint } = places;
    if (person.data.email !== undefined || !userinfo_endpoint || answer.access_token === undefined) return person.data;
    return this.#askAbout(userinfo_endpoint, answer.access_token, person.data);
  }

  async #tradeCode(places: Places, code: string, { verifier, redirectUri }: Errand) {
    const { openIdClientId: id, openIdClientSecret: secret } = this.#settings;
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
    const isInHeader = secret !== "" && places.token_endpoint_auth_methods_supported.includes("client_secret_basic");
    if (isInHeader) headers["authorization"] = basic(id, secret);
    else {
      form.set("client_id", id);
      if (secret !== "") form.set("client_secret", secret);
    }
    const asked = { method: "POST", headers, body: form.toString() };
    return read(tokensForm, await askForJson(places.token_endpoint, asked), "the token endpoint");
  }

  /** What a provider would rather not put into the token. It must be about the same person. */
  async #askAbout(url: string, accessToken: string, { sub }: Person): Promise<Person> {
    const answer = await askForJson(url, { headers: { authorization: `Bearer ${accessToken}` } });
    const person = read(personForm, answer, "the userinfo endpoint");
    if (person.sub !== sub) throw new ProviderProblem("the userinfo endpoint tells of somebody else");
    return person;
  }

  async #verify(places: Places, text: string, nonce: string): Promise<Claims> {
    const token = readWebToken(text);
    if (!token) throw new ProviderProblem("the ID token is none");
    const keys = await this.#keysFor(places, token.keyId);
    if (!keys.some((key) => isSignedWithKey(token, key)))
      throw new ProviderProblem("the ID token is not signed by the provider");
    const { claims } = token;
    const audience = audienceOf(claims);
    const { openIdClientId } = this.#settings;
    const isForUs = audience.includes(openIdClientId) && (audience.length === 1 || claims["azp"] === openIdClientId);
    if (claims.iss !== places.issuer || !isForUs) throw new ProviderProblem("the ID token is for somebody else");
    if (claims.exp === undefined || !isInTime(claims, leewaySeconds))
      throw new ProviderProblem("the ID token is of another time");
    if (claims["nonce"] !== nonce) throw new ProviderProblem("the ID token belongs to another attempt");
    return claims;
  }

  async #keysFor(places: Places, keyId: string | undefined): Promise<Key[]> {
    const isMeant = ({ kid, use }: Key) => use !== "enc" && (keyId === undefined || kid === undefined || kid === keyId);
    const known = (await this.#findKeys(places, keptMilliseconds)).filter(isMeant);
    if (known.length > 0) return known;
    return (await this.#findKeys(places, keyPauseMilliseconds)).filter(isMeant);
  }

  async #findKeys({ jwks_uri }: Places, notOlderThan: number): Promise<Key[]> {
    if (!this.#keys || Date.now() - this.#keys.at > notOlderThan) {
      const found = askForJson(jwks_uri).then((answer) => read(keysForm, answer, "the list of keys").keys);
      this.#keys = { found, at: Date.now() };
      found.catch(() => (this.#keys = undefined));
    }
    return this.#keys.found;
  }

  #findPlaces(): Promise<Places> {
    if (!this.#places || Date.now() - this.#places.at > keptMilliseconds) {
      const found = this.#discover();
      this.#places = { found, at: Date.now() };
      found.catch(() => (this.#places = undefined));
    }
    return this.#places.found;
  }

  async #discover(): Promise<Places> {
    const { openIdIssuer } = this.#settings;
    const answer = await askForJson(`${openIdIssuer}/.well-known/openid-configuration`);
    const places = read(placesForm, answer, "the provider's configuration");
    // Some end theirs in a slash, and mean it.
    if (places.issuer.replace(/\/+$/, "") !== openIdIssuer)
      throw new ProviderProblem(`the provider calls itself ${places.issuer}`);
    return places;
  }
}

/** Both are written as in a form before they are joined: they may have a colon. */
function basic(id: string, secret: string): string {
  const [left, right] = [id, secret].map((part) => new URLSearchParams({ x: part }).toString().slice(2));
  return `Basic ${Buffer.from(`${left}:${right}`).toString("base64")}`;
}

function read<T extends z.ZodType>(form: T, answer: unknown, whose: string): z.output<T> {
  const result = form.safeParse(answer);
  if (!result.success) throw new ProviderProblem(`${whose} is not as documented: ${z.prettifyError(result.error)}`);
  return result.data;
}
