import type * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"

/** Functions that run when a span starts, changes or ends. */
export interface Hooks {
  readonly span?: (name: string, links: ReadonlyArray<Tracer.SpanLink>) => void
  readonly attribute?: (name: string, key: string, value: unknown) => void
  readonly event?: (name: string, event: string, attributes: unknown) => void
  readonly links?: (name: string, links: ReadonlyArray<Tracer.SpanLink>) => void
  readonly end?: (name: string, exit: Exit.Exit<unknown, unknown>) => void
}

export const tracer = (hooks: Hooks, spanId = () => "0123456789abcdef"): Tracer.Tracer =>
  Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      hooks.span?.(name, links)
      const attributes = new Map<string, unknown>()
      let status: Tracer.SpanStatus = { _tag: "Started", startTime }
      return {
        _tag: "Span",
        name,
        spanId: spanId(),
        traceId: "0123456789abcdef0123456789abcdef",
        parent,
        context,
        links,
        kind,
        sampled: true,
        attributes,
        get status() {
          return status
        },
        attribute: (key, value) => {
          attributes.set(key, value)
          hooks.attribute?.(name, key, value)
        },
        event: (event, _, members) => hooks.event?.(name, event, members),
        addLinks: (more) => hooks.links?.(name, more),
        end: (endTime, exit) => {
          status = { _tag: "Ended", startTime, endTime, exit }
          hooks.end?.(name, exit)
        }
      }
    },
    context: (run) => run()
  })
