/** An engine of this package on a store of its own, for tests of several lives. */
import type * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import type * as engineStore from "../../src/internal/engineStore.js"
import * as engine from "../../src/internal/engine.js"

/** One that shows more seldom that it lives than a test takes, as if it was frozen, hears of nothing. */
export const on = (
  store: engineStore.EngineStore,
  beatInterval: Duration.DurationInput = "5 seconds"
) => Layer.orDie(engine.layer(store, { pollInterval: "1 second", beatInterval }))
