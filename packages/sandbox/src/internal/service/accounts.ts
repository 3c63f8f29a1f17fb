/**
 * The account, the credential of its application and the issued tokens (interface section 5).
 */
import type * as Operation from "@manilla/core/Operation"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import type { Standing } from "../../Sandbox.js"
import type { Identifiers } from "../rules/identifiers.js"
import * as refusal from "../rules/refusal.js"
import type { Account, State } from "../store/state.js"
import type { Handlers } from "./handler.js"

/** A new account. */
export interface Opening {
  readonly clientId: string | undefined
  readonly clientSecret: Redacted.Redacted | undefined
  readonly scopes: ReadonlyArray<Operation.Scope>
}

export interface Accounts extends ReturnType<typeof make> {}

/** Tokens have their own identifiers, so that the ids of resources do not depend on the number of tokens. */
export const make = (
  { account, tokens }: State,
  identifiers: Identifiers,
  tokenIdentifiers: Identifiers,
  tokenLifetime: Duration.DurationInput
) => {
  const lifetimeMillis = Duration.toMillis(tokenLifetime)
  const newSecret = () => `sk_${identifiers.text(40)}`
  const change = (changes: Partial<typeof Account.Type>) =>
    account.set({ ...account.current(), ...changes })

  const credentials = () => {
    const { client_id, client_secret } = account.current()
    return { client_id, client_secret: Redacted.make(client_secret) }
  }

  const revokeTokens = (): void => {
    for (const { token } of tokens.all()) tokens.remove(token)
  }

  const isOwn = (client_id: string, client_secret: string): boolean => {
    const own = account.current()
    return client_id === own.client_id && client_secret === own.client_secret
  }

  const inGoodStanding = (): Either.Either<void, refusal.Refusal> => {
    const broken = standingRules.find(([name]) => !account.current().standing[name])
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
        sub: account.current().client_id,
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

  const handlers: Handlers<"Token.obtain"> = {
    /** Issues a token, by rules 1 and 3 of section 5.1. */
    "Token.obtain": ({ payload }, { nowMillis }) => {
      if (!isOwn(payload.client_id, payload.client_secret)) {
        return Either.left(refusal.of("INVALID_CREDENTIALS"))
      }
      return Either.map(inGoodStanding(), () => ({
        access_token: issue(nowMillis),
        expires_in: Math.floor(lifetimeMillis / 1000),
        token_type: "Bearer",
        environment: "SANDBOX",
        scope: account.current().granted_scopes.join(" ")
      }))
    }
  }

  return {
    handlers,
    open: ({ clientId, clientSecret, scopes }: Opening) => {
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
    /** Takes over the tokens from before a reset, if they were issued to the same credentials. */
    keepTokens: (before: State, nowMillis: number) => {
      const { client_id, client_secret } = before.account.current()
      if (!isOwn(client_id, client_secret)) return
      for (const { expires_ms, token } of before.tokens.all()) {
        // The clock was set back.
        tokens.set({ token, expires_ms: Math.min(expires_ms, nowMillis + lifetimeMillis) })
      }
    },
    ids: () => account.current(),
    credentials,
    /** Checks that a request with this `Authorization` may call an operation. */
    authorise: (
      authorization: string | undefined,
      access: Operation.Access,
      nowMillis: number
    ): Either.Either<void, refusal.Refusal> => {
      if (access === "credentials") return Either.void
      const token = tokens.get(/^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "")
      if (token === undefined || token.expires_ms <= nowMillis) {
        return Either.left(refusal.of("UNAUTHENTICATED"))
      }
      return Either.flatMap(inGoodStanding(), () =>
        access === "bearer" || account.current().granted_scopes.includes(access)
          ? Either.void
          : Either.left(
              refusal.of("INSUFFICIENT_SCOPE", {
                message: `The scope ${access} is not granted.`,
                details: { required_scope: access }
              })
            )
      )
    },
    rotateSecret: () => {
      change({ client_secret: newSecret() })
      revokeTokens()
      return credentials()
    },
    revokeTokens,
    setScopes: (granted_scopes: ReadonlyArray<Operation.Scope>) => change({ granted_scopes }),
    setStanding: (changes: Partial<Standing>) => {
      const standing = { ...account.current().standing, ...changes }
      change({ standing })
      if (!standing.credentialActive) revokeTokens()
    }
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
