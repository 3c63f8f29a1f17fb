import type * as Context from "effect/Context"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

const capacity = 1024

/** A tracer that keeps the latest spans with their attributes and events in memory. */
export const recordingTracer = (): Tracer.Tracer => {
  const ended: Array<Tracer.Span> = []
  let made = 0

  class Span implements Tracer.Span {
    readonly _tag = "Span"
    readonly sampled = true
    readonly attributes = new Map<string, unknown>()
    readonly events: Array<readonly [name: string, nanos: bigint, attributes: unknown]> = []
    readonly spanId = (++made).toString(16).padStart(16, "0")
    readonly traceId: string
    status: Tracer.SpanStatus

    constructor(
      readonly name: string,
      readonly parent: Option.Option<Tracer.AnySpan>,
      readonly context: Context.Context<never>,
      readonly links: Array<Tracer.SpanLink>,
      startTime: bigint,
      readonly kind: Tracer.SpanKind
    ) {
      this.traceId = Option.isSome(parent) ? parent.value.traceId : this.spanId.repeat(2)
      this.status = { _tag: "Started", startTime }
    }

    attribute(key: string, value: unknown): void {
      this.attributes.set(key, value)
    }

    event(name: string, nanos: bigint, attributes?: Record<string, unknown>): void {
      this.events.push([name, nanos, attributes])
    }

    addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
      this.links.push(...links)
    }

    end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
      this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
      ended[made % capacity] = this
    }
  }

  return Tracer.make({
    span: (name, parent, context, links, startTime, kind) =>
      new Span(name, parent, context, [...links], startTime, kind),
    context: (run) => run()
  })
}
