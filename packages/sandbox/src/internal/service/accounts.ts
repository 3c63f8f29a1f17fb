/**
 * The account, the credential of its application and the issued tokens (interface section 5).
 */
import type * as Operation from "@manilla/core/Operation"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type { Options, Standing } from "../../Sandbox.js"
import * as refusal from "../rules/refusal.js"
import type { Identifiers } from "../store/identifiers.js"
import type { Account, State } from "../store/state.js"
import type { Handlers } from "./core.js"

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
    for (const { expires_ms, token } of tokens.all()) {
      if (expires_ms <= nowMillis) tokens.remove(token)
    }
    const token = `at_${tokenIdentifiers.text(86)}`
    tokens.set({ token, expires_ms: nowMillis + lifetimeMillis })
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
    open: (
      { clientId, clientSecret }: Pick<Options, "clientId" | "clientSecret">,
      granted_scopes: ReadonlyArray<Operation.Scope>
    ) => {
      // Drawn even if they are given, so that all later identifiers depend on the seed alone.
      const drawnId = `app_${identifiers.text(16)}`
      const drawnSecret = newSecret()
      change({
        account_id: identifiers.uuid(),
        application_id: identifiers.uuid(),
        client_id: clientId ?? drawnId,
        client_secret: clientSecret === undefined ? drawnSecret : Redacted.value(clientSecret),
        granted_scopes
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
      const isGranted = access === "bearer" || account.current().granted_scopes.includes(access)
      const message = `The scope ${access} is not granted.`
      const details = { required_scope: access }
      return Either.filterOrLeft(
        inGoodStanding(),
        () => isGranted,
        () => refusal.of("INSUFFICIENT_SCOPE", { message, details })
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
