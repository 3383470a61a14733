/** A provider of OpenID Connect, as the world outside has them. It believes whatever a test says of who signs in. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface Claims {
  [name: string]: unknown;
}

interface Grant {
  challenge: string;
  redirectUri: string;
  idToken: string;
  userInfo: Claims;
}

export interface SigningIn {
  /** What the ID token says of who signs in. */
  claims: Claims;
  /** What is said when asked about them. */
  userInfo?: Claims;
  /** Makes the token in another way. */
  token?: (claims: Claims) => string;
}

const closers: (() => void)[] = [];
afterAll(() => closers.splice(0).forEach((close) => close()));

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

export class TestProvider {
  readonly clientId = "skein:client";
  readonly clientSecret = "s3cret: & more";
  readonly #keys = new Map([
    ["ES256", generateKeyPairSync("ec", { namedCurve: "P-256" })],
    ["RS256", generateKeyPairSync("rsa", { modulusLength: 2048 })],
  ]);
  readonly #grants = new Map<string, Grant>();
  readonly #asked: string[] = [];
  /** What it says in the place of what it should. */
  instead: ((path: string, response: ServerResponse) => boolean) | undefined;
  url = "";

  /** Open until the file's tests are over. */
  static async start(): Promise<TestProvider> {
    const provider = new TestProvider();
    const server = createServer((request, response) => void provider.#answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
    return provider;
  }

  get environment(): Record<string, string> {
    return {
      SKEIN_OIDC_ISSUER: this.url,
      SKEIN_OIDC_CLIENT_ID: this.clientId,
      SKEIN_OIDC_CLIENT_SECRET: this.clientSecret,
      SKEIN_OIDC_NAME: "Harbor ID",
    };
  }

  /** Paths that were asked for since this was last looked at. */
  asked(): string[] {
    return this.#asked.splice(0);
  }

  /** Somebody signs in where a browser was sent; where it is sent then. */
  signIn(address: string, { claims, userInfo = claims, token }: SigningIn): string {
    const { origin, pathname, searchParams } = new URL(address);
    if (origin !== this.url || pathname !== "/authorize") throw new Error(`this is not the provider: ${address}`);
    const given = (name: string) => searchParams.get(name) ?? "";
    if (given("response_type") !== "code" || given("client_id") !== this.clientId)
      throw new Error("the provider does not know this client");
    if (given("code_challenge_method") !== "S256" || !given("scope").split(" ").includes("openid"))
      throw new Error("the provider takes nobody who asks like that");
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: this.url, aud: this.clientId, iat: now, exp: now + 300, nonce: given("nonce"), ...claims };
    const code = randomBytes(16).toString("hex");
    const idToken = (token ?? ((signed) => this.sign(signed)))(all);
    this.#grants.set(code, {
      challenge: given("code_challenge"),
      redirectUri: given("redirect_uri"),
      idToken,
      userInfo,
    });
    const back = new URL(given("redirect_uri"));
    back.searchParams.set("code", code);
    back.searchParams.set("state", given("state"));
    return back.href;
  }

  sign(claims: Claims, algorithm: "ES256" | "RS256" = "ES256", by?: KeyObject): string {
    const key = by ?? this.#keys.get(algorithm)?.privateKey;
    if (!key) throw new Error(`there is no key for ${algorithm}`);
    const signed = `${encode({ alg: algorithm, kid: algorithm })}.${encode(claims)}`;
    const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }

  /** As everybody may know them. */
  get publicKeys(): object[] {
    return [...this.#keys].map(([kid, { publicKey }]) => ({ ...publicKey.export({ format: "jwk" }), kid, use: "sig" }));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "", this.url);
    this.#asked.push(pathname);
    const body = Buffer.concat((await request.toArray()) as Buffer[]).toString(); // no encoding is set
    if (this.instead?.(pathname, response)) return;
    const answer = this.#find(pathname, request, new URLSearchParams(body));
    response.writeHead(answer ? 200 : 400, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: "invalid_grant" }));
  }

  #find(path: string, { headers }: IncomingMessage, form: URLSearchParams): object | undefined {
    switch (path) {
      case "/.well-known/openid-configuration":
        return {
          issuer: this.url,
          authorization_endpoint: `${this.url}/authorize`,
          token_endpoint: `${this.url}/token`,
          jwks_uri: `${this.url}/keys`,
          userinfo_endpoint: `${this.url}/userinfo`,
        };
      case "/keys":
        return { keys: this.publicKeys };
      case "/token":
        return this.#trade(headers.authorization, form);
      case "/userinfo":
        return this.#grants.get(headers.authorization?.replace("Bearer ", "") ?? "")?.userInfo;
      default:
        return undefined;
    }
  }

  /** Once, to the client it was made for, that shows what it has kept to itself. */
  #trade(authorization: string | undefined, form: URLSearchParams): object | undefined {
    const [id = "", secret = ""] = Buffer.from(authorization?.split(" ")[1] ?? "", "base64")
      .toString()
      .split(":");
    const decode = (text: string) => new URLSearchParams(`x=${text}`).get("x");
    if (decode(id) !== this.clientId || decode(secret) !== this.clientSecret) return undefined;
    const code = form.get("code") ?? "";
    const grant = this.#grants.get(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== form.get("redirect_uri")) return undefined;
    this.#grants.delete(code);
    const accessToken = randomBytes(8).toString("hex");
    this.#grants.set(accessToken, grant);
    return { id_token: grant.idToken, access_token: accessToken, token_type: "Bearer" };
  }
}
