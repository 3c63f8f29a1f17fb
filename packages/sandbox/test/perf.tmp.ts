import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import * as Catalogue from "@manilla/catalogue/Catalogue"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
const client = Layer.provide(NodeHttpClient.layerUndiciWithoutDispatcher, Layer.scoped(NodeHttpClient.Dispatcher,
    Effect.acquireRelease(Effect.sync(() => new Undici.Agent({ connections: 64 })), (agent) => Effect.promise(() => agent.destroy()))))
const n = 5000
await Effect.runPromise(Effect.gen(function*(){
  const c = yield* Catalogue.Catalogue
  const t0 = performance.now()
  yield* Effect.forEach(Array.from({length:n}), () => c.list, {concurrency: "unbounded", discard: true})
  console.log((performance.now()-t0)/n*1000, "us per call")
  console.log(yield* Effect.map((yield* Sandbox.Sandbox).exchanges, e => e.length))
}).pipe(Effect.provide(Catalogue.layer.pipe(Layer.provide(SandboxGateway.layer({})), Layer.provide(client), Layer.provideMerge(SandboxServer.layer())))))
