/**
 * A process that is killed: pays the items of one batch on SQLite. It prints `made N` when N items have payouts,
 * and `summary JSON` at the end.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Gateway from "@manilla/core/Gateway"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Token from "@manilla/token/Token"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Sqlite from "@manilla/workflows/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

interface Settings {
  readonly file: string
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly wallet: string
  readonly count: number
}

const settings: Settings = JSON.parse(process.env["WORKER"] ?? "{}")

const retry = { base: "20 millis", attempts: 2, attemptTimeout: "2 seconds" } as const

const gateway = Gateway.layer({ baseUrl: settings.baseUrl, retry, pageParameter: "page" }).pipe(
  Layer.provideMerge(
    Token.layer({
      authUrl: settings.authUrl,
      clientId: settings.clientId,
      clientSecret: Redacted.make(settings.clientSecret),
      retry
    })
  ),
  Layer.provide(FetchHttpClient.layer)
)

const live = PayoutBatch.layer({ concurrency: 3 }).pipe(
  Layer.provide(
    DisbursePayout.layer({
      carryOn: { initial: "300 millis", factor: 1.5, deadline: "1 hour" },
      look: { initial: "100 millis", factor: 1.5, cap: "300 millis", deadline: "500 millis" },
      wait: { initial: "300 millis", factor: 1.2, deadline: "1 hour" }
    })
  ),
  Layer.provide(Sqlite.layerSqlite({ file: settings.file })),
  Layer.provide(Payouts.layer),
  Layer.provide(gateway)
)

const print = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

const program = Effect.gen(function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  yield* batches.start(
    "payroll",
    Array.from({ length: settings.count }, (_, i) => ({
      key: `E${i}`,
      request: {
        wallet_id: settings.wallet,
        amount: String(1000 + i),
        currency: "XOF",
        country: "BJ",
        payment_method: "mtn_momo",
        destination: "+2290161234567"
      }
    }))
  )
  yield* Stream.runForEach(batches.progress("payroll"), ({ ended, pending }) =>
    print(`made ${ended + pending}`)
  )
  yield* print(`summary ${JSON.stringify(yield* batches.await("payroll"))}`)
})

program.pipe(Effect.provide(live), NodeRuntime.runMain)
