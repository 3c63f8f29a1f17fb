import { HttpClient } from "@effect/platform"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { Agent } from "undici"

/** Trusts one certificate authority only, such as that of a gateway inside your network. */
export const trusting = (file: string) =>
  Layer.scoped(
    HttpClient.HttpClient,
    Effect.acquireRelease(
      Effect.sync(() => new Agent({ connect: { ca: readFileSync(file) }, connections: 32 })),
      (agent) => Effect.promise(() => agent.destroy())
    ).pipe(Effect.map(UndiciClient.make))
  )
