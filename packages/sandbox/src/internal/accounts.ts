/**
 * The account, the credential of its application and the issued tokens (interface section 5).
 */
import type * as Operation from "@manilla/core/Operation"
import type { Credentials as CredentialsSchema, IssuedToken } from "@manilla/token/TokenApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import type { Credentials, Standing } from "../Sandbox.js"
import type { SandboxClock } from "./clock.js"
import type { Identifiers } from "./identifiers.js"
import * as refusal from "./refusal.js"

export interface Options {
  readonly clock: SandboxClock
  readonly identifiers: Identifiers
  readonly clientId: string | undefined
  readonly clientSecret: Redacted.Redacted | undefined
  readonly scopes: ReadonlyArray<Operation.Scope>
  readonly tokenLifetime: Duration.DurationInput
}

export interface Accounts {
  readonly accountId: string
  readonly applicationId: string
  readonly credentials: Effect.Effect<Credentials>
  /** Issues a token, by rules 1 and 3 of section 5.1. */
  readonly obtain: (
    credentials: typeof CredentialsSchema.Type
  ) => Effect.Effect<typeof IssuedToken.Type, refusal.Refusal>
  /** Checks that a request with this `Authorization` may call an operation. */
  readonly authorise: (
    authorization: string | undefined,
    access: Operation.Access
  ) => Effect.Effect<void, refusal.Refusal>
  readonly rotateSecret: Effect.Effect<Credentials>
  readonly revokeTokens: Effect.Effect<void>
  readonly setScopes: (scopes: ReadonlyArray<Operation.Scope>) => Effect.Effect<void>
  readonly setStanding: (changes: Partial<Standing>) => Effect.Effect<void>
}

export const make = (options: Options): Accounts => {
  const { clock, identifiers, scopes, tokenLifetime } = options
  const lifetimeMillis = Duration.toMillis(tokenLifetime)
  const newSecret = () => Redacted.make(`sk_${identifiers.text(40)}`)

  // Drawn even if they are given, so that all later identifiers depend on the seed alone.
  const drawn: Credentials = {
    clientId: `app_${identifiers.text(16)}`,
    clientSecret: newSecret()
  }
  let credentials: Credentials = {
    clientId: options.clientId ?? drawn.clientId,
    clientSecret: options.clientSecret ?? drawn.clientSecret
  }
  let granted = scopes
  let standing: Standing = {
    accountActive: true,
    kybApproved: true,
    applicationActive: true,
    credentialActive: true
  }
  /** The valid tokens, with their expiry. */
  const tokens = new Map<string, number>()

  const inGoodStanding = Effect.suspend(() => {
    const broken = standingRules.find(([name]) => !standing[name])
    return broken === undefined
      ? Effect.void
      : Effect.fail(refusal.forbidden("ACCOUNT_STATE", broken[1]))
  })

  const issue = Effect.gen(function* () {
    const nowMillis = yield* clock.nowMillis
    const expiresMillis = nowMillis + lifetimeMillis
    const token = [
      segment({ alg: "RS256", typ: "JWT" }),
      segment({
        jti: identifiers.uuid(),
        sub: credentials.clientId,
        iat: Math.floor(nowMillis / 1000),
        exp: Math.floor(expiresMillis / 1000)
      }),
      identifiers.text(86)
    ].join(".")
    for (const [old, oldExpiresMillis] of tokens) {
      if (oldExpiresMillis <= nowMillis) tokens.delete(old)
    }
    tokens.set(token, expiresMillis)
    return token
  })

  const obtain: Accounts["obtain"] = ({ client_id, client_secret }) =>
    Effect.gen(function* () {
      if (
        client_id !== credentials.clientId ||
        client_secret !== Redacted.value(credentials.clientSecret)
      ) {
        return yield* Effect.fail(
          refusal.unauthorized("INVALID_CREDENTIALS", "The client id or the secret is wrong.")
        )
      }
      yield* inGoodStanding
      return {
        access_token: yield* issue,
        expires_in: Math.floor(lifetimeMillis / 1000),
        token_type: "Bearer",
        environment: "SANDBOX",
        scope: granted.join(" ")
      }
    })

  const authorise: Accounts["authorise"] = (authorization, access) =>
    Effect.gen(function* () {
      if (access === "credentials") return
      const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1]
      const expiresMillis = token === undefined ? undefined : tokens.get(token)
      if (expiresMillis === undefined || expiresMillis <= (yield* clock.nowMillis)) {
        return yield* Effect.fail(
          refusal.unauthorized("UNAUTHENTICATED", "The token is missing, unknown or expired.")
        )
      }
      yield* inGoodStanding
      if (access !== "bearer" && !granted.includes(access)) {
        return yield* Effect.fail(
          refusal.forbidden("INSUFFICIENT_SCOPE", `The scope ${access} is not granted.`, {
            details: { required_scope: access }
          })
        )
      }
    })

  return {
    accountId: identifiers.uuid(),
    applicationId: identifiers.uuid(),
    credentials: Effect.sync(() => credentials),
    obtain,
    authorise,
    rotateSecret: Effect.sync(() => {
      tokens.clear()
      credentials = { ...credentials, clientSecret: newSecret() }
      return credentials
    }),
    revokeTokens: Effect.sync(() => tokens.clear()),
    setScopes: (scopes) =>
      Effect.sync(() => {
        granted = scopes
      }),
    setStanding: (changes) =>
      Effect.sync(() => {
        standing = { ...standing, ...changes }
        if (!standing.credentialActive) tokens.clear()
      })
  }
}

const standingRules = [
  ["accountActive", "The account is not active."],
  ["kybApproved", "The account's KYB is not approved."],
  ["applicationActive", "The application is not active."],
  ["credentialActive", "The credential is revoked."]
] as const

const segment = (part: Readonly<Record<string, unknown>>): string =>
  Encoding.encodeBase64Url(JSON.stringify(part))
