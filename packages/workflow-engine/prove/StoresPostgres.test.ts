/** The store of executions on PostgreSQL, and an engine on it. */
import { describe, layer } from "@effect/vitest"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Effect from "effect/Effect"
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
