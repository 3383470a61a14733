/**
 * Hostile ID tokens, made at random from valid ones: none is accepted. The name of the test has its seed; to repeat one, or for the full
 * form, see docs/single-sign-on.md.
 */
import { createHmac, createPublicKey, generateKeyPairSync, randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { TestProvider, type Algorithm, type Claims } from "../../../../test/openid-provider.ts";
import { randomNumbers } from "../../../../test/random-numbers.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { ProviderProblem } from "../identity-providers/provider-problem.ts";
import { OpenIdProvider } from "./provider.ts";

const count = Number(process.env["HOSTILE_TOKENS"] ?? 120);
const seed = Number(process.env["HOSTILE_SEED"] ?? randomInt(2 ** 31));

const random = randomNumbers(seed);
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
const now = (): number => Math.floor(Date.now() / 1000);
const strangers = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** Each makes claims that nobody may accept, whoever signs them. */
const falseClaims: Record<string, (claims: Claims) => Claims> = {
  "another issuer": (claims) => ({
    ...claims,
    iss: random.pick(["https://id.example.com", "", `${String(claims["iss"])}/x`, null]),
  }),
  "another audience": (claims) => ({ ...claims, aud: random.pick(["wiki", [], "", ["wiki"], null, "skein"]) }),
  "issued to another client": (claims) => ({ ...claims, aud: ["wiki", claims["aud"]], azp: "wiki" }),
  "of another attempt or organization": (claims) => ({ ...claims, nonce: random.pick(["x", "", undefined, null, 7]) }),
  expired: (claims) => ({ ...claims, exp: now() - 61 - random.below(10 ** 6) }),
  "without an end": (claims) => ({ ...claims, exp: random.pick([undefined, null, "never", "9999999999"]) }),
  "from the future": (claims) => ({ ...claims, iat: now() + 120 + random.below(10 ** 6) }),
  "not valid yet": (claims) => ({ ...claims, nbf: now() + 120 + random.below(10 ** 6) }),
  "without a time": (claims) => ({ ...claims, iat: random.pick([undefined, null, "now"]) }),
  "about nobody": (claims) => ({ ...claims, sub: random.pick([undefined, null, "", 7, ["a"]]) }),
};

type Make = (provider: TestProvider, claims: Claims) => string;

const parts = (token: string): [string, string, string] => {
  const [header = "", body = "", signature = ""] = token.split(".");
  return [header, body, signature];
};

/** Changes a byte, not only its encoding. */
function flipped(part: string): string {
  const bytes = Buffer.from(part, "base64url");
  const at = random.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  return bytes.toString("base64url");
}

const withHeader = (token: string, header: object): string => {
  const [, body, signature] = parts(token);
  return `${encode(header)}.${body}.${signature}`;
};

const hmac = (header: object, claims: Claims, secret: string): string => {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
};

const publicKey = (provider: TestProvider): string => JSON.stringify(provider.publicKeys[3]);
const signedAs = (): Algorithm => random.pick(["ES256", "RS256", "PS256", "EdDSA"] as const);

/** Each makes a token that the provider has not signed as it stands. */
const falseTokens: Record<string, Make> = {
  "alg none": (_, claims) =>
    `${encode({ alg: random.pick(["none", "None", "NONE", "nOnE", ""]) })}.${encode(claims)}.${random.pick(["", "AA"])}`,
  "alg none, with a signature": (provider, claims) => withHeader(provider.sign(claims), { alg: "none" }),
  "the public key as a secret": (provider, claims) => hmac({ alg: "HS256", kid: "RS256" }, claims, publicKey(provider)),
  "the client secret as a key": (provider, claims) => hmac({ alg: "HS256" }, claims, provider.clientSecret),
  "an empty secret": (_, claims) => hmac({ alg: "HS256", kid: "../../dev/null" }, claims, ""),
  "a stranger's key": (provider, claims) => provider.sign(claims, "RS256", strangers.privateKey),
  "a key in the header": (provider, claims) => {
    const jwk = createPublicKey(strangers.privateKey).export({ format: "jwk" });
    const [, body, signature] = parts(provider.sign(claims, "RS256", strangers.privateKey));
    return `${encode({ alg: "RS256", jwk, kid: random.pick(["RS256", "x"]) })}.${body}.${signature}`;
  },
  "a URL of a key": (provider, claims) =>
    withHeader(provider.sign(claims, "RS256", strangers.privateKey), { alg: "RS256", jku: provider.url, x5u: "x" }),
  "another algorithm than it names": (provider, claims) =>
    withHeader(provider.sign(claims, "RS256"), {
      alg: random.pick(["ES256", "PS256", "RS512", "EdDSA"]),
      kid: "RS256",
    }),
  "an unknown extension that must be understood": (provider, claims) =>
    withHeader(provider.sign(claims), { alg: "ES256", kid: "ES256", crit: ["exp2"], exp2: 1 }),
  "a changed byte": (provider, claims) => {
    const token = parts(provider.sign(claims, signedAs()));
    const at = random.below(3);
    return token.map((part, index) => (index === at ? flipped(part) : part)).join(".");
  },
  "the body of another token": (provider, claims) => {
    const [header, , signature] = parts(provider.sign({ ...claims, sub: "somebody" }));
    return `${header}.${encode(claims)}.${signature}`;
  },
  "a cut": (provider, claims) => {
    const token = provider.sign(claims, signedAs());
    return token.slice(0, random.below(token.length - 2));
  },
  "parts left out, repeated or added": (provider, claims) => {
    const [header, body, signature] = parts(provider.sign(claims, signedAs()));
    return random.pick([
      `${header}.${body}`,
      `${header}.${body}.`,
      `${header}..${signature}`,
      `.${body}.${signature}`,
      `${header}.${body}.${signature}.${signature}`,
      `${header}.${header}.${body}.${signature}`,
    ]);
  },
  "no signature of a known length": (provider, claims) => {
    const [header, body] = parts(provider.sign(claims, "ES256"));
    return `${header}.${body}.${Buffer.alloc(random.pick([0, 1, 32, 64, 65])).toString("base64url")}`;
  },
  "something else": () => random.pick(["{}", "nonsense", "..", "null", `${encode({})}.${encode({})}.${encode({})}`]),
};

test(`of ${count} hostile ID tokens none is accepted (seed ${seed})`, { timeout: 120_000 }, async () => {
  const provider = await TestProvider.start();
  const settings = {
    issuer: provider.url,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
    scopes: [],
  };
  const client = new OpenIdProvider(settings, boundedFetch);
  const text = () =>
    random
      .below(2 ** 31)
      .toString(36)
      .padStart(43, "x");
  const attempt = async (token: (claims: Claims) => string) => {
    const pending = {
      state: text(),
      nonce: text(),
      verifier: text(),
      redirectUri: "http://chat.example.com/complete/",
    };
    const asked = await client.authorizationUrl(pending, { forceLogin: false });
    const claims = { sub: "7", email: "mira@example.com", email_verified: true };
    const back = new URL(provider.signIn(asked, { claims, token }));
    return client.identify(new Map(back.searchParams), pending).then(
      () => "accepted",
      (error: unknown) => (error instanceof ProviderProblem ? "refused" : `failed: ${String(error)}`),
    );
  };
  const wrong: string[] = [];
  for (let made = 0; made < count; made++) {
    const claimsName = random.pick(Object.keys(falseClaims));
    const tokenName = random.pick(Object.keys(falseTokens));
    // What is wrong: the claims, the token, or both.
    const kind = random.below(3);
    const result = await attempt((claims) => {
      const used = kind === 1 ? claims : (falseClaims[claimsName]?.(claims) ?? claims);
      return kind === 0 ? provider.sign(used, signedAs()) : (falseTokens[tokenName]?.(provider, used) ?? "");
    });
    if (result !== "refused") wrong.push(`${made}: ${[claimsName, tokenName][kind] ?? "both"}: ${result}`);
    // So that a server that refuses everything is noticed.
    const control = made % 20 === 0 ? await attempt((claims) => provider.sign(claims, signedAs())) : "accepted";
    if (control !== "accepted") wrong.push(`${made}: a valid token: ${control}`);
  }
  expect(wrong).toEqual([]);
});
