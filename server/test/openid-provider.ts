/** An OpenID Connect provider for tests. A test decides which user signs in. */
import {
  constants,
  createHash,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closeAtEndOfFile } from "./end-of-file.ts";

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
  /** Claims of the ID token. */
  claims: Claims;
  /** Claims of the userinfo endpoint. */
  userInfo?: Claims;
  /** Creates the token differently. */
  token?: (claims: Claims) => string;
}

/** How each algorithm generates keys and signs. */
const rsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const ec = (namedCurve: string) => () => generateKeyPairSync("ec", { namedCurve });
const algorithms = {
  ES256: { digest: "sha256", makeKeys: ec("P-256"), options: { dsaEncoding: "ieee-p1363" } },
  ES384: { digest: "sha384", makeKeys: ec("P-384"), options: { dsaEncoding: "ieee-p1363" } },
  ES512: { digest: "sha512", makeKeys: ec("P-521"), options: { dsaEncoding: "ieee-p1363" } },
  RS256: { digest: "sha256", makeKeys: rsa, options: {} },
  RS384: { digest: "sha384", makeKeys: rsa, options: {} },
  RS512: { digest: "sha512", makeKeys: rsa, options: {} },
  PS256: { digest: "sha256", makeKeys: rsa, options: pss },
  PS512: { digest: "sha512", makeKeys: rsa, options: pss },
  EdDSA: { digest: undefined, makeKeys: () => generateKeyPairSync("ed25519"), options: {} },
} as const;
export type Algorithm = keyof typeof algorithms;
export const algorithmNames = Object.keys(algorithms) as Algorithm[]; // the keys of an object of ours

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

export class TestProvider {
  readonly clientId = "skein:client";
  readonly clientSecret = "s3cret: & more";
  readonly #keys = new Map<Algorithm, KeyPairKeyObjectResult>();
  readonly #grants = new Map<string, Grant>();
  readonly #asked: string[] = [];
  /** Responses that replace the correct ones. */
  instead: ((path: string, response: ServerResponse) => boolean) | undefined;
  /** Extra fields of its configuration. */
  metadata: object = {};
  url = "";

  /** Runs until the end of the file's tests. */
  static async start(): Promise<TestProvider> {
    const provider = new TestProvider();
    const server = createServer((request, response) => void provider.#answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closeAtEndOfFile(server);
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

  /** Paths requested since the last call. */
  asked(): string[] {
    return this.#asked.splice(0);
  }

  /** Signs a user in at the URL that the browser was redirected to; returns the URL it is redirected to next. */
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

  sign(claims: Claims, algorithm: Algorithm = "ES256", by?: KeyObject): string {
    const { digest, options } = algorithms[algorithm];
    const key = by ?? this.#keysOf(algorithm).privateKey;
    const signed = `${encode({ alg: algorithm, kid: algorithm })}.${encode(claims)}`;
    const signature = sign(digest, Buffer.from(signed), { key, ...options });
    return `${signed}.${signature.toString("base64url")}`;
  }

  #keysOf(algorithm: Algorithm): KeyPairKeyObjectResult {
    const keys = this.#keys.get(algorithm) ?? algorithms[algorithm].makeKeys();
    this.#keys.set(algorithm, keys);
    return keys;
  }

  /** The public keys. */
  get publicKeys(): object[] {
    return algorithmNames.map((kid) => ({ ...this.#keysOf(kid).publicKey.export({ format: "jwk" }), kid, use: "sig" }));
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
          ...this.metadata,
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

  /** Exchanges a code once, only for its own client, which must send the PKCE verifier. */
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
