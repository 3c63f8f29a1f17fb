import { PersistenceError } from "@effect/cluster/ClusterError"
import * as Message from "@effect/cluster/Message"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import type * as Rpc from "@effect/rpc/Rpc"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as dueStorage from "./dueStorage.js"
import { isLockLost } from "./lockLost.js"
import { persistently } from "../persistently.js"
import { rootMessage } from "../rootMessage.js"

/** The codes of an error and of its causes. */
const codesOf = (error: unknown): ReadonlyArray<string> =>
  Predicate.isRecord(error)
    ? [...(Predicate.isString(error["code"]) ? [error["code"]] : []), ...codesOf(error["cause"])]
    : []

/** Codes of permanent failures: a broken constraint, or data that PostgreSQL cannot store (classes 22 and 23). */
const isLasting = (code: string) => /^(SQLITE_CONSTRAINT|22|23)/.test(code)

/** A database that is away, locked or full. */
const isAway = <E>(error: E): error is Extract<E, PersistenceError> =>
  error instanceof PersistenceError && !isLockLost(error.cause) && !codesOf(error).some(isLasting)

/** A commit that fails is a defect of `SqlClient`. */
const failing = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | PersistenceError, R> =>
  Effect.catchAllDefect(effect, (defect) =>
    defect instanceof SqlError
      ? Effect.fail(new PersistenceError({ cause: defect }))
      : Effect.die(defect)
  )

const waiting = <A, E, R>(effect: Effect.Effect<A, E, R>) => persistently(failing(effect), isAway)

/** Nothing is left to do for a process whose database belongs to another one. */
const stopped = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchIf(effect, isLockLost, (error) =>
    Effect.zipRight(Effect.logError(rootMessage(error)), Effect.never)
  )

type Storage = MessageStorage.MessageStorage["Type"]

/** The engine takes a failure of its storage for a defect of the workflow, and ends the execution. */
const patient = (storage: Storage, scope: Scope.Scope): Storage => {
  const saveReply: Storage["saveReply"] = (reply) => waiting(storage.saveReply(reply))
  /** A message that was read brings the function that stores its reply. */
  const answered = Effect.map((messages: Array<Message.Incoming<Rpc.Any>>) =>
    messages.map((message) =>
      message._tag === "IncomingRequest"
        ? new Message.IncomingRequest({ ...message, respond: saveReply })
        : message
    )
  )
  return {
    ...storage,
    saveRequest: (request) => waiting(storage.saveRequest(request)),
    saveEnvelope: (envelope) => waiting(storage.saveEnvelope(envelope)),
    saveReply,
    clearReplies: (id) => waiting(storage.clearReplies(id)),
    repliesFor: (requests) => waiting(storage.repliesFor(requests)),
    repliesForUnfiltered: (ids) => waiting(storage.repliesForUnfiltered(ids)),
    requestIdForPrimaryKey: (key) => waiting(storage.requestIdForPrimaryKey(key)),
    unprocessedMessages: (shards) =>
      answered(stopped(waiting(storage.unprocessedMessages(shards)))),
    unprocessedMessagesById: (ids) => answered(waiting(storage.unprocessedMessagesById(ids))),
    // The engine gives up after a few seconds, and goes on without it: then nobody would read again for minutes
    // what an earlier life has read.
    resetShards: (shards) =>
      waiting(storage.resetShards(shards)).pipe(Effect.forkIn(scope), Effect.flatMap(Fiber.join)),
    resetAddress: (address) => waiting(storage.resetAddress(address)),
    clearAddress: (address) => waiting(storage.clearAddress(address))
  }
}

/** A storage of the engine's messages whose operations wait until the database answers. */
export const patiently = <E, R>(layer: Layer.Layer<MessageStorage.MessageStorage, E, R>) =>
  Layer.scoped(
    MessageStorage.MessageStorage,
    Effect.map(Effect.all([MessageStorage.MessageStorage, Effect.scope]), ([storage, scope]) =>
      patient(storage, scope)
    )
  ).pipe(Layer.provide(layer))

/** The engine's messages in the database, with operations that wait until the database answers. */
export const layer = patiently(dueStorage.layer)
