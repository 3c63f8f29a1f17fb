/** The store of executions on PostgreSQL, and an engine on it. */
import { describe, it, layer } from "@effect/vitest"
import * as Postgres from "@manilla/test-support/Postgres"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Effect from "effect/Effect"
import { layerPostgres } from "@manilla/workflow-engine/postgres"
import * as Layer from "effect/Layer"
import * as closing from "../test/utils/closing.js"
import * as exact from "../test/utils/exact.js"
import * as stores from "../test/utils/stores.js"
import { empty, server } from "./utils/postgres.js"

layer(server, { excludeTestServices: true, timeout: "1 minute" })("PostgreSQL", (it) => {
  describe("as every store", () => stores.test(empty, it.scoped))

  describe("as every engine", () =>
    exact.test(Effect.orDie(empty), (name, self) =>
      it.scoped(name, () => new VirtualClock.VirtualClock().provide(self()))
    ))
})

it.live(
  "a call that awaits an execution on PostgreSQL is interrupted when its engine ends",
  () => closing.test(Effect.map(Postgres.server, ({ url }) => Layer.orDie(layerPostgres({ url })))),
  60_000
)
