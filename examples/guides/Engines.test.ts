/** The recipes for other engines, on steps that begin a new life after each of them. */
import { assert, describe, it } from "@effect/vitest"
import { Payouts } from "@manilla/payouts"
import { Fault, Sandbox, SandboxClient, SandboxGateway } from "@manilla/sandbox"
import { DisbursePayout, Policy, Steps } from "@manilla/workflows"
import { Effect, Layer, ManagedRuntime } from "effect"
import { onCloudflare, onInngest } from "./OnOtherEngines.js"
import { activities, payOnTemporal } from "./OnTemporal.js"

const live = DisbursePayout.layer.pipe(
  Layer.provide(
    Policy.layer({
      look: { initial: "10 millis", factor: 1, cap: "10 millis", deadline: "20 millis" },
      wait: { initial: "10 millis", factor: 1.1, deadline: "1 minute" }
    })
  ),
  Layer.provideMerge(Steps.layer),
  Layer.provideMerge(Payouts.layer),
  Layer.provideMerge(Layer.orDie(SandboxGateway.layer())),
  Layer.provideMerge(SandboxClient.layer({ seed: 1, settleAfter: "200 millis" }))
)

type Payload = Steps.Payload<typeof DisbursePayout.workflow>
type Run = (name: string, step: () => Promise<string>) => Promise<string>
type Runtime = ManagedRuntime.ManagedRuntime<Steps.Bodies, unknown>

const sleep = (_: string, millis: number) => new Promise<void>((end) => setTimeout(end, millis))

/** One life of an execution of each engine. */
const engines = {
  Inngest: (runtime: Runtime, payload: Payload, run: Run) =>
    onInngest(runtime)({ event: { data: payload }, step: { run, sleep } }),
  Cloudflare: async (runtime: Runtime, payload: Payload, run: Run) => {
    const instanceId = await Effect.runPromise(Steps.idOf(DisbursePayout.workflow, payload))
    assert.match(instanceId, /^[0-9a-f]{32}$/)
    const step = { do: (name: string, _: object, f: () => Promise<string>) => run(name, f), sleep }
    return onCloudflare(runtime)({ payload, instanceId }, step)
  }
}

const world = Effect.gen(function* () {
  const runtime = yield* Effect.acquireRelease(
    Effect.sync(() => ManagedRuntime.make(live)),
    (runtime) => runtime.disposeEffect
  )
  const sandbox = yield* runtime.runtimeEffect.pipe(
    Effect.flatMap((services) => Effect.provide(Sandbox.Sandbox, services))
  )
  const [wallet] = yield* sandbox.wallets
  const payload = {
    key: "payroll:2026-11:E007",
    wallet_id: wallet?.id ?? "",
    amount: "1000",
    currency: "XOF",
    country: "BJ",
    payment_method: "mtn_momo",
    destination: "+2290161234567"
  }
  return { payload, runtime, sandbox }
})

describe("a payout is made once, in a new life after each step", () => {
  for (const [name, execute] of Object.entries(engines)) {
    it.scopedLive(`on the steps of ${name}`, () =>
      Effect.gen(function* () {
        const { payload, runtime, sandbox } = yield* world
        const stored = new Map<string, string>()
        const oneLife = Effect.async<unknown>((resume) => {
          const run: Run = async (name, step) => {
            const known = stored.get(name)
            if (known !== undefined) return known
            stored.set(name, await step())
            resume(Effect.succeed("died"))
            return new Promise<never>(() => {})
          }
          execute(runtime, payload, run).then(
            (end) => resume(Effect.succeed(end)),
            (error: unknown) => resume(Effect.die(error))
          )
        })
        const end = yield* Effect.repeat(oneLife, { until: (end) => end !== "died" })
        assert.include(JSON.stringify(end), '"status":"COMPLETED"')
        assert.lengthOf(yield* sandbox.payouts, 1)
        assert.isAbove(stored.size, 2)
      })
    )
  }
})

describe("the body for Temporal", () => {
  const operation = "Payouts.create"
  const status = (code: number) => Fault.status(code, { operation, count: 1 })

  for (const [name, isLost, after, expected, count] of [
    ["pays once", false, undefined, { status: "COMPLETED" }, 1],
    ["takes no refusal for the outcome of a lost answer", true, 422, { status: "COMPLETED" }, 1],
    ["ends with a refusal that is certain", false, 422, { outcome: "notApplied" }, 0]
  ] as const) {
    it.scopedLive(name, () =>
      Effect.gen(function* () {
        const { payload, runtime, sandbox } = yield* world
        const { look, send } = activities(runtime)
        const refuse = after === undefined ? Effect.void : sandbox.faults.add(status(after))
        if (!isLost) yield* refuse
        let sends = 0
        const pay = payOnTemporal(payload, {
          look,
          send: async (request) => {
            if (sends++ > 0 || !isLost) return send(request)
            await send(request)
            await Effect.runPromise(refuse)
            throw new Error("activity StartToClose timeout")
          },
          // A millisecond for each second.
          sleep: (millis) => sleep("", millis / 1_000)
        })
        assert.deepInclude(yield* Effect.promise(() => pay), expected)
        assert.lengthOf(yield* sandbox.payouts, count)
        assert.strictEqual(sends, isLost ? 3 : 1)
      })
    )
  }
})
