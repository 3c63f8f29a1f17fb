/** An engine of this package on a store of its own, for tests of several lives. */
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as engineStore from "../../src/internal/engineStore.js"
import * as engine from "../../src/internal/engine.js"

/** One that shows more seldom that it lives than a test takes, as if it was frozen, hears of nothing. */
export const on = (
  store: engineStore.EngineStore,
  beatInterval: Duration.DurationInput = "5 seconds"
) => Layer.orDie(engine.layer(store, { pollInterval: "1 second", beatInterval }))

/** A service whose effects take real time. */
const outside = <A extends object>(service: A): A =>
  new Proxy(service, {
    get: (target, name, receiver): unknown => {
      const member: unknown = Reflect.get(target, name, receiver)
      if (Effect.isEffect(member)) return VirtualClock.outside(member)
      if (typeof member !== "function") return member
      return (...input: ReadonlyArray<unknown>) => VirtualClock.outside(member(...input))
    }
  })

/** A store whose database takes real time, and whose executions have virtual time. */
export const inVirtualTime = (store: engineStore.EngineStore): engineStore.EngineStore => ({
  ...outside(store),
  runners: { ...outside(store.runners), now: Clock.currentTimeMillis }
})
