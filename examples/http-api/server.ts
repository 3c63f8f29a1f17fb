/**
 * The shop as a process.
 */
import { HttpApiBuilder } from "@effect/platform"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import * as FetchClient from "@manilla/core/FetchClient"
import { Payments } from "@manilla/payments"
import { Manilla } from "@manilla/token"
import { layerSqlite } from "@manilla/workflow-engine/sqlite"
import { Layer } from "effect"
import { createServer } from "node:http"
import * as Shop from "./Shop.js"

const port = Number(process.env["PORT"] ?? 3000)

const live = HttpApiBuilder.serve().pipe(
  // The first one here is built last: a request that comes before the shop would never get a response.
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port })),
  Layer.provide(Shop.layer),
  Layer.provide(layerSqlite({ file: "payments.db" })),
  Layer.provide(Payments.layer),
  Layer.provide(Manilla.layerConfig()),
  Layer.provide(FetchClient.layer)
)

NodeRuntime.runMain(Layer.launch(live))
