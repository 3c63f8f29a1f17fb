/**
 * The names of steps and pauses, which are stored. Each kind has one form. An activity has a name of the user's: the engine
 * refuses one of these forms, so that a name says exactly what a step is.
 *
 * @since 0.1.0
 */

/** The steps of blocks. Each is stored as the first attempt of an activity. */
const blocks = {
  /** Before the request of a round: it may be sent. */
  begin: "begin/OF/ROUND",
  write: "write/OF/ROUND",
  look: "look/OF/ROUND",
  step: "step/OF",
  /** Whether a part of the body that has failed is undone. */
  compensating: "compensating/OF",
  /** The result of `Durable.signal`. Its pause has the same name. */
  signal: "signal/OF",
  /** An interrupt has ended the body at this pause or activity. */
  cancelled: "cancelled/OF"
} as const

const others = {
  /** The value of a signal that was sent to the execution. */
  deferred: "deferred/OF",
  /** A signal that the body has sent. */
  sent: "sent/ID/OF",
  /** An execution that the body begins: before it is stored, after it, and its end. */
  begun: "child/ID/begun",
  started: "child/ID/started",
  ended: "child/ID/1",
  /** An execution that waits for this one, and did not start it. */
  awaited: "awaited/ID"
} as const

const pauses = {
  carryOn: "carry-on/OF/ROUND",
  wait: "wait/OF/ROUND",
  sleep: "sleep/OF",
  signal: blocks.signal,
  /** For an execution that the body has begun. */
  child: "child/ID"
} as const

const forms = { ...blocks, ...others, ...pauses }

/**
 * The kind of a step or a pause.
 *
 * @since 0.1.0
 * @category models
 */
export type Kind = keyof typeof forms

/**
 * The parts of a name: a block, a signal or an activity; a round of a block; the id of another execution.
 *
 * @since 0.1.0
 * @category models
 */
export interface Parts {
  readonly of?: string | undefined
  readonly round?: number | undefined
  readonly id?: string | undefined
}

/**
 * A name of a kind.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (kind: Kind, { id = "", of = "", round = 0 }: Parts): string =>
  forms[kind].replace("ROUND", `${round}`).replace(/OF|ID/g, (part) => (part === "OF" ? of : id))

/**
 * The name under which the step of a block is stored.
 *
 * @since 0.1.0
 * @category constructors
 */
export const stored = (name: string): string => `${name}/1`

const reader = <K extends Kind>(all: Readonly<Record<K, string>>, attempt = "") => {
  const patterns = Object.entries<string>(all).map(([kind, form]) => {
    const pattern = form
      .replace("OF", "(?<of>.+)")
      .replace("ROUND", "(?<round>\\d+)")
      .replace("ID", "(?<id>[0-9a-f]{32})")
    return [kind as K, new RegExp(`^${pattern}${attempt}$`, "s")] as const
  })
  return (name: string): (Parts & { readonly kind: K }) | undefined => {
    for (const [kind, pattern] of patterns) {
      const { id, of, round } = pattern.exec(name)?.groups ?? {}
      if ((of ?? id) !== undefined) {
        return { kind, of, id, round: round === undefined ? undefined : Number(round) }
      }
    }
    return undefined
  }
}

const ofBlock = reader(blocks, "/1")
const ofOther = reader(others)

/**
 * The kind and the parts of the name of a stored step. Undefined for an activity.
 *
 * @since 0.1.0
 * @category getters
 */
export const parseStep = (name: string) => ofBlock(name) ?? ofOther(name)

/**
 * The name of an activity, whose stored one has its attempt.
 *
 * @since 0.1.0
 * @category getters
 */
export const activity = (name: string): string => name.replace(/\/\d+$/, "")

/**
 * The part of the name of a step or a pause that its user has chosen.
 *
 * @since 0.1.0
 * @category getters
 */
export const chosen = (name: string): string =>
  (parseStep(name) ?? parsePause(name))?.of ?? activity(name)

/**
 * The kind and the parts of the name of a pause. Undefined for the pauses of Effect, such as `DurableClock.sleep`.
 *
 * @since 0.1.0
 * @category getters
 */
export const parsePause = reader(pauses)
