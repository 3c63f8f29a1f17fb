import { NodeSdk } from "@effect/opentelemetry"
import { ConsoleSpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"

/** Prints each span when it ends. */
export const telemetry = NodeSdk.layer(() => ({
  resource: { serviceName: "shop" },
  spanProcessor: new SimpleSpanProcessor(new ConsoleSpanExporter())
}))
