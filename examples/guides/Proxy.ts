import { HttpClient } from "@effect/platform"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { Config, Effect, Layer } from "effect"
import { ProxyAgent } from "undici"

/** Sends every request through the proxy at `HTTPS_PROXY`. Provide it in place of `UndiciClient.layer`. */
export const throughProxy = Layer.scoped(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const proxy = yield* Config.string("HTTPS_PROXY")
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => new ProxyAgent(proxy)),
      (agent) => Effect.promise(() => agent.destroy())
    )
    return UndiciClient.make(agent)
  })
)
