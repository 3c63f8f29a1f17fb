/** A runner with executions in several states, for its page. */
import * as Payouts from "@manilla/payouts/Payouts"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Files from "@manilla/test-support/Files"
import * as Postgres from "@manilla/test-support/Postgres"
import * as Operator from "@manilla/workflow-engine/Operator"
import { layerSqlite } from "@manilla/workflow-engine/sqlite"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Policy from "@manilla/workflows/Policy"
import * as Command from "@manilla/workflows/command"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Page } from "playwright-core"
import * as world from "../../test/utils/world.js"

export const token = "open sesame"

/** A request is repeated after a second. A payout that is pending pauses for an hour. */
const policy = {
  carryOn: { initial: "1 second", factor: 7200, deadline: "1 day" },
  look: { initial: "50 millis", factor: 1, cap: "50 millis", deadline: "100 millis" },
  wait: { initial: "1 hour", factor: 2, deadline: "1 day" }
} as const

const service = Payouts.layer.pipe(
  Layer.provideMerge(Layer.orDie(SandboxGateway.layer({ retry: { attempts: 1 } }))),
  Layer.provideMerge(SandboxClient.layer({ seed: 1, settleAfter: "1 day" }))
)

/** Phone numbers that ask the sandbox for a scenario. */
const scenarios = {
  "salary:E001": "+999000000001", // completed at once
  "salary:E002": "+999000000051", // the answer is lost, and the payout stays pending
  "salary:E003": "+999000000020", // refused
  "salary:E004": "+999000000069", // unavailable, every time
  "salary:E005": "+2290161234567" // pending
}

/** Of ten items, one is refused, one is answered after 5 seconds, and the others are paid at once. */
const destinationOf = (number: number) => {
  if (number % 10 === 0) return "+999000000020"
  return number % 10 === 4 ? "+999000000054" : "+999000000001"
}

/** Executions in several states. */
export const several = Effect.gen(function* () {
  const request = yield* world.payout
  const payouts = yield* Operator.of(DisbursePayout.workflow)
  for (const [key, destination] of Object.entries(scenarios)) {
    yield* payouts.start({ key: world.key(key), ...request, destination })
  }
  yield* Effect.forEach(["salary:E002", "salary:E004", "salary:E005"], (key) =>
    Effect.repeat(Effect.delay(payouts.status(key), "20 millis"), {
      until: ({ pause, resource }) =>
        pause !== undefined && (key === "salary:E004" || resource !== undefined)
    })
  )
  const batches = yield* PayoutBatch.PayoutBatch
  const items = Stream.map(Stream.range(1, 1_000), (number) => ({
    key: `E${number}`,
    request: { ...request, destination: destinationOf(number) }
  }))
  yield* batches.start("payroll:2026-11", items)
})

/** The items of the payroll that are not paid, and their reasons. */
const unpaid = {
  E0117: "+999000000025", // the account is blocked
  E0904: "+999000000006", // the payout fails after it was created
  E1733: "+999000000024" // the provider does not know the number
}

/** A batch of 2,000 payouts that has ended: three of them are not paid. */
export const payroll = Effect.gen(function* () {
  const request = yield* world.payout
  const batches = yield* PayoutBatch.PayoutBatch
  const items = Stream.map(Stream.range(1, 2_000), (number) => {
    const key = `E${String(number).padStart(4, "0")}`
    const magic = Object.entries(unpaid).find(([one]) => one === key)?.[1]
    const amount = String(25_000 + 250 * (number % 60))
    return { key, request: { ...request, amount, destination: magic ?? "+999000000001" } }
  })
  yield* batches.start("payroll:2026-11", items)
  yield* batches.await("payroll:2026-11")
})

/** A batch with an item that is paid, and one in doubt, whose request is sent again in an hour or two. */
export const doubtful = Effect.gen(function* () {
  const request = yield* world.payout
  const batches = yield* PayoutBatch.PayoutBatch
  const items = Stream.make(
    { key: "Awa", request: { ...request, destination: "+999000000001" } },
    { key: "Kofi & 50%25", request: { ...request, destination: "+999000000069" } }
  )
  yield* batches.start("bonus:2026", items)
  const soon = Date.now() + 60_000
  yield* Effect.repeat(Effect.delay(batches.doubts("bonus:2026"), "20 millis"), {
    until: ([doubt]) => (doubt?.nextMillis ?? 0) > soon
  })
})

/** Starts a runner with what it has to do. Returns the address of its page. */
export const make = (
  start: Effect.Effect<
    void,
    | Effect.Effect.Error<typeof several>
    | Effect.Effect.Error<typeof payroll>
    | Effect.Effect.Error<typeof doubtful>,
    | Effect.Effect.Context<typeof several>
    | Effect.Effect.Context<typeof payroll>
    | Effect.Effect.Context<typeof doubtful>
  >,
  { concurrency = 1 }: { readonly concurrency?: number } = {}
) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(service)
    const port = yield* Postgres.freePort
    const started = yield* Deferred.make<void>()
    const workflows = Layer.effectDiscard(
      Effect.zipRight(start, Deferred.succeed(started, undefined))
    ).pipe(
      Layer.provide(PayoutBatch.layer({ concurrency })),
      Layer.provide(Layer.provide(DisbursePayout.layer, Policy.layer(policy))),
      Layer.provide(Layer.succeedContext(services))
    )
    const operate = { port, token: Redacted.make(token) }
    const engine = layerSqlite({ file: yield* Files.database })
    const runner = Command.run({ engine, workflows, operate })
    const url = `http://127.0.0.1:${port}/`
    const answered = Effect.retry(
      Effect.tryPromise(() => fetch(url)),
      Schedule.spaced("20 millis")
    )
    const fiber = yield* Effect.forkScoped(runner)
    yield* Effect.raceFirst(Effect.zipRight(Deferred.await(started), answered), Fiber.join(fiber))
    return url
  })

/** Runs a runner while its page is used. */
export const during = (
  run: ReturnType<typeof make>,
  use: (url: string) => Promise<unknown>
): Promise<unknown> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(run, (url) => Effect.promise(() => use(url)))))

/** Opens the page, gives it the token, and waits for what it shows. */
export const enter = async (page: Page, url: string) => {
  await page.goto(url)
  await page.getByLabel("Token of the runner").fill(token)
  await page.getByRole("button", { name: "Unlock" }).click()
  await page.locator("h2 + :not(:has([type=password]))").first().waitFor()
}
