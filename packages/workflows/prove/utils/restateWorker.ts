/** A process that is killed: runs the jobs of the kill test on Restate. */
import * as Steps from "@manilla/workflows/Steps"
import * as Restate from "@manilla/workflows/restate"
import * as restate from "@restatedev/restate-sdk"
import * as clients from "@restatedev/restate-sdk-clients"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schedule from "effect/Schedule"
import { asOnNode22, portOf } from "./restateServer.js"
import * as parts from "./stepsParts.js"
import * as workerParts from "./workerParts.js"

asOnNode22()
const { runner, url } = parts.settings.engine
const runtime = ManagedRuntime.make(Layer.provideMerge(parts.workflows, Steps.layer))
const ingress = clients.connect({ url })
const services: Array<ReturnType<typeof Restate.make>["definition"]> = []

/** The server may be away for a while. */
const awaited = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.sandbox(effect).pipe(
    Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 100, while: Cause.isDie }),
    Effect.unsandbox
  )

const execute = parts.executor((workflow) => {
  const made = Restate.make(workflow, runtime)
  services.push(made.definition)
  return (payload) => awaited(made.execute(ingress, payload))
})

await restate.serve({ services, port: portOf(url, runner), logger: () => {} })
await Effect.runPromise(workerParts.ends(parts.settings, execute))
