/**
 * The account, the credential of its application and the issued tokens (interface section 5).
 */
import type * as Operation from "@manilla/core/Operation"
import type { Credentials as CredentialsSchema, IssuedToken } from "@manilla/token/TokenApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Standing } from "../../Sandbox.js"
import type { Identifiers } from "../rules/identifiers.js"
import * as refusal from "../rules/refusal.js"
import type { Rule } from "../rules/refusal.js"
import * as table from "../store/table.js"

const Account = Schema.Struct({
  account_id: Schema.String,
  application_id: Schema.String,
  client_id: Schema.String,
  client_secret: Schema.String,
  granted_scopes: Schema.Array(Schema.String),
  standing: Schema.Struct({
    accountActive: Schema.Boolean,
    kybApproved: Schema.Boolean,
    applicationActive: Schema.Boolean,
    credentialActive: Schema.Boolean
  })
})

type Account = typeof Account.Type

export const declared = table.value(Account, {
  account_id: "",
  application_id: "",
  client_id: "",
  client_secret: "",
  granted_scopes: [],
  standing: {
    accountActive: true,
    kybApproved: true,
    applicationActive: true,
    credentialActive: true
  }
})

const Token = Schema.Struct({ token: Schema.String, expires_ms: Schema.Number })

export const declaredTokens = table.table(Token, ({ token }) => token)

export interface Options {
  readonly account: table.Value<Account>
  /** The valid tokens. */
  readonly tokens: table.Table<typeof Token.Type>
  readonly identifiers: Identifiers
  /** Its own generator, so that the ids of resources do not depend on the number of tokens. */
  readonly tokenIdentifiers: Identifiers
  readonly tokenLifetime: Duration.DurationInput
}

export interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** A new account. */
export interface Opening {
  readonly clientId: string | undefined
  readonly clientSecret: Redacted.Redacted | undefined
  readonly scopes: ReadonlyArray<Operation.Scope>
}

export interface Accounts {
  readonly open: (opening: Opening) => void
  /** Takes over the tokens from before a reset, if they were issued to the same credentials. */
  readonly keepTokens: (before: Pick<Options, "account" | "tokens">, nowMillis: number) => void
  readonly ids: () => Pick<Account, "account_id" | "application_id">
  readonly credentials: Effect.Effect<Credentials>
  /** Issues a token, by rules 1 and 3 of section 5.1. */
  readonly obtain: (credentials: typeof CredentialsSchema.Type) => Rule<typeof IssuedToken.Type>
  /** Checks that a request with this `Authorization` may call an operation. */
  readonly authorise: (authorization: string | undefined, access: Operation.Access) => Rule<void>
  readonly rotateSecret: Effect.Effect<Credentials>
  readonly revokeTokens: Effect.Effect<void>
  readonly setScopes: (scopes: ReadonlyArray<Operation.Scope>) => Effect.Effect<void>
  readonly setStanding: (changes: Partial<Standing>) => Effect.Effect<void>
}

export const make = (options: Options): Accounts => {
  const { account, identifiers, tokenIdentifiers, tokenLifetime, tokens } = options
  const lifetimeMillis = Duration.toMillis(tokenLifetime)
  const newSecret = () => `sk_${identifiers.text(40)}`
  const change = (changes: Partial<Account>) => account.set({ ...account.get(), ...changes })

  const credentials = Effect.sync((): Credentials => {
    const { client_id, client_secret } = account.get()
    return { clientId: client_id, clientSecret: Redacted.make(client_secret) }
  })

  const revokeTokens = Effect.sync(() => {
    for (const { token } of tokens.all()) tokens.remove(token)
  })

  const inGoodStanding = (): Either.Either<void, refusal.Refusal> => {
    const broken = standingRules.find(([name]) => !account.get().standing[name])
    return broken === undefined
      ? Either.void
      : Either.left(refusal.of("ACCOUNT_STATE", { message: broken[1] }))
  }

  const issue = (nowMillis: number): string => {
    const expires_ms = nowMillis + lifetimeMillis
    const token = [
      segment({ alg: "RS256", typ: "JWT" }),
      segment({
        jti: tokenIdentifiers.uuid(),
        sub: account.get().client_id,
        iat: Math.floor(nowMillis / 1000),
        exp: Math.floor(expires_ms / 1000)
      }),
      tokenIdentifiers.text(86)
    ].join(".")
    for (const old of tokens.all()) {
      if (old.expires_ms <= nowMillis) tokens.remove(old.token)
    }
    tokens.set({ token, expires_ms })
    return token
  }

  const obtain: Accounts["obtain"] =
    ({ client_id, client_secret }) =>
    (nowMillis) => {
      const own = account.get()
      if (client_id !== own.client_id || client_secret !== own.client_secret) {
        return Either.left(refusal.of("INVALID_CREDENTIALS"))
      }
      return Either.map(inGoodStanding(), () => ({
        access_token: issue(nowMillis),
        expires_in: Math.floor(lifetimeMillis / 1000),
        token_type: "Bearer",
        environment: "SANDBOX",
        scope: account.get().granted_scopes.join(" ")
      }))
    }

  const authorise: Accounts["authorise"] = (authorization, access) => (nowMillis) => {
    if (access === "credentials") return Either.void
    const token = tokens.get(/^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "")
    if (token === undefined || token.expires_ms <= nowMillis) {
      return Either.left(refusal.of("UNAUTHENTICATED"))
    }
    return Either.flatMap(inGoodStanding(), () =>
      access === "bearer" || account.get().granted_scopes.includes(access)
        ? Either.void
        : Either.left(
            refusal.of("INSUFFICIENT_SCOPE", {
              message: `The scope ${access} is not granted.`,
              details: { required_scope: access }
            })
          )
    )
  }

  return {
    open: ({ clientId, clientSecret, scopes }) => {
      // Drawn even if they are given, so that all later identifiers depend on the seed alone.
      const drawnId = `app_${identifiers.text(16)}`
      const drawnSecret = newSecret()
      change({
        account_id: identifiers.uuid(),
        application_id: identifiers.uuid(),
        client_id: clientId ?? drawnId,
        client_secret: clientSecret === undefined ? drawnSecret : Redacted.value(clientSecret),
        granted_scopes: scopes
      })
    },
    keepTokens: (before, nowMillis) => {
      const { client_id, client_secret } = before.account.get()
      const own = account.get()
      if (client_id !== own.client_id || client_secret !== own.client_secret) return
      for (const { expires_ms, token } of before.tokens.all()) {
        // The clock was set back.
        tokens.set({ token, expires_ms: Math.min(expires_ms, nowMillis + lifetimeMillis) })
      }
    },
    ids: account.get,
    credentials,
    obtain,
    authorise,
    rotateSecret: Effect.suspend(() => {
      change({ client_secret: newSecret() })
      return Effect.zipRight(revokeTokens, credentials)
    }),
    revokeTokens,
    setScopes: (scopes) => Effect.sync(() => change({ granted_scopes: scopes })),
    setStanding: (changes) =>
      Effect.suspend(() => {
        const standing = { ...account.get().standing, ...changes }
        change({ standing })
        return standing.credentialActive ? Effect.void : revokeTokens
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
