/**
 * A tracer with sequential span ids. The `traceparent` header then shows which attempts belong to one
 * call.
 */
import * as Tracer from "effect/Tracer"

export const make = (): Tracer.Tracer => {
  let made = 0
  return Tracer.make({
    span: (name, parent, context, links, startTime, kind) => ({
      _tag: "Span",
      name,
      spanId: String(++made).padStart(16, "0"),
      traceId: "0".repeat(32),
      parent,
      context,
      links,
      kind,
      sampled: true,
      status: { _tag: "Started", startTime },
      attributes: new Map(),
      attribute: () => {},
      event: () => {},
      addLinks: () => {},
      end: () => {}
    }),
    context: (run) => run()
  })
}
