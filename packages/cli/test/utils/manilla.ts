/** The command in this process, on a sandbox that listens. */
import * as NodeContext from "@effect/platform-node/NodeContext"
import { it } from "@effect/vitest"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import type { Steps } from "@manilla/test-support/Steps"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { main } from "../../src/internal/main.js"

export const sandbox = (options: SandboxServer.Options = {}) =>
  SandboxServer.layer({ settleAfter: "1 millis", seed: 1, ...options })

/** Defines tests, each over a sandbox of its own. */
export const tests =
  (options?: SandboxServer.Options) =>
  (title: string, steps: () => Steps<Sandbox.Sandbox | Scope.Scope>) =>
    it.scopedLive(title, () => Effect.provide(Effect.gen(steps), sandbox(options)))

export const test = tests()

/** The settings for the sandbox. */
export const settings = Effect.gen(function* () {
  const { authUrl, baseUrl, credentials, wallets } = yield* Sandbox.Sandbox
  const { client_id, client_secret } = yield* credentials
  const wallet = (yield* wallets).find(({ currency }) => currency === "XOF")
  return {
    MANILLA_BASE_URL: baseUrl,
    MANILLA_AUTH_URL: authUrl,
    MANILLA_CLIENT_ID: client_id,
    MANILLA_CLIENT_SECRET: Redacted.value(client_secret),
    MANILLA_ENVIRONMENT: "SANDBOX",
    MANILLA_PAGE_PARAMETER: Sandbox.pageParameter,
    MANILLA_WALLET_ID: wallet?.id ?? ""
  }
})

export type Settings = Readonly<Record<string, string | undefined>>

/** A token response for an environment, such as LIVE, which sandboxes do not have. */
export const tokenFor = (environment: string): string =>
  JSON.stringify({
    success: true,
    data: { access_token: "t", environment, token_type: "Bearer", scope: "" },
    meta: { correlation_id: null }
  })

export interface Printed {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `manilla` with these arguments, and settings other than the sandbox's. Something may follow what it prints. */
export const manilla = (
  args: ReadonlyArray<string>,
  changes: Settings = {},
  follow: (text: string) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<Printed, never, Sandbox.Sandbox> =>
  Effect.gen(function* () {
    const lines = { out: "", err: "" }
    const console = yield* Effect.console
    const print =
      (name: keyof typeof lines) =>
      (...texts: ReadonlyArray<unknown>) =>
        Effect.suspend(() => {
          lines[name] += `${texts.join(" ")}\n`
          return follow(texts.join(" "))
        })
    const given = Object.entries({ ...(yield* settings), ...changes }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const]
    )
    const code = yield* main(args).pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(given))),
      Effect.withConsole({
        ...console,
        log: print("out"),
        error: print("err"),
        unsafe: { ...console.unsafe, error: (line) => void (lines.err += `${String(line)}\n`) }
      }),
      Effect.provide(NodeContext.layer)
    )
    return { code, ...lines }
  })
