/** A process that is killed: runs the jobs of the kill test on DBOS. */
import { DBOS } from "@dbos-inc/dbos-sdk"
import * as Steps from "@manilla/workflows/Steps"
import * as Dbos from "@manilla/workflows/dbos"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as parts from "./stepsParts.js"
import * as workerParts from "./workerParts.js"

const { runner, url } = parts.settings.engine
const runtime = ManagedRuntime.make(Layer.provideMerge(parts.workflows, Steps.layer))
const execute = parts.executor((workflow) => Dbos.register(workflow, runtime).execute)

DBOS.setConfig({
  name: "kills",
  systemDatabaseUrl: url,
  executorID: `runner-${runner}`,
  applicationVersion: "1",
  logLevel: "error"
})
await DBOS.launch()
await Effect.runPromise(workerParts.ends(parts.settings, execute))
