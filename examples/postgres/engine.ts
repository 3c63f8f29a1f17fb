import { layerPostgres } from "@manilla/workflow-engine/postgres"
import { Config, Effect, Layer } from "effect"

/** The same for all processes. Tables are created if they do not exist. */
export const engine = Layer.unwrapEffect(
  Effect.map(Config.redacted("DATABASE_URL"), (url) => layerPostgres({ url }))
)
