/**
 * A client process that can be interrupted at any step, next to a service that survives. The fibers of the client
 * and the sandbox run on separate schedulers, and those of the client step by step. A step is a resumption of a fiber,
 * or an external event while all fibers wait.
 *
 * Steps are counted from the start to the end of the program. Its layers are built before, without
 * interruption: they send no requests, and Effect's memoisation of layers can hang when interrupted.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Time from "@manilla/test-support/Time"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import type * as Scheduler from "effect/Scheduler"

export interface World {
  readonly sandbox: Sandbox.Service
  /** Runs an effect on the side of the service. */
  readonly look: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  /** Waits until all requests in transit have arrived. */
  readonly settle: () => Promise<void>
  /** Runs a program in a separate process until its end or its death. */
  readonly process: <A, E, R>(
    program: Effect.Effect<A, E, R>,
    services: Layer.Layer<R, never, HttpClient.HttpClient>,
    /** The number of steps before its death. */
    dieAfter?: number
  ) => Promise<Ended<A, E>>
}

export interface Ended<A, E> {
  /** `undefined` for a process that did not end. */
  readonly exit: Exit.Exit<A, E> | undefined
  /** Whether it died before its end. */
  readonly died: boolean
  readonly warnings: ReadonlyArray<string>
  /** The sent requests, by method and path. */
  readonly requests: ReadonlyArray<string>
}

const turn = () => new Promise<void>((resume) => setImmediate(resume))

/** The latency of a request and of a response. */
const travelMillis = 10

export const make = async (options: Sandbox.Options = {}): Promise<World> => {
  const time = Time.make({ wakes: "one" })
  /** The number of requests that the service is processing. */
  let busy = 0
  let inFlight = 0
  const onService = <A, E>(effect: Effect.Effect<A, E>) =>
    effect.pipe(Effect.withClock(time.clock), Effect.withRandom(Random.make("mortal")))
  const { client, sandbox } = await Effect.runPromise(
    onService(SandboxClient.make({ seed: 11, ...options }))
  )

  /** A request that was sent is processed even if its sender dies. */
  const network = (depart: (request: string) => void) =>
    HttpClient.make((request, url) =>
      Effect.async((resume) => {
        depart(`${request.method} ${url.pathname}`)
        inFlight++
        const exchange = Effect.gen(function* () {
          yield* Effect.sleep(travelMillis)
          busy++
          const response = yield* Effect.ensuring(
            client.execute(request),
            Effect.sync(() => void busy--)
          )
          yield* Effect.sleep(travelMillis)
          return response
        })
        Effect.runFork(onService(exchange)).addObserver((exit) => {
          inFlight--
          resume(
            exit._tag === "Success"
              ? Effect.succeed(exit.value)
              : Effect.mapError(Effect.failCause(exit.cause), (error) =>
                  error._tag === "RequestError"
                    ? error
                    : new HttpClientError.RequestError({ request, reason: "Transport" })
                )
          )
        })
      })
    )

  const process: World["process"] = async (program, services, dieAfter = Infinity) => {
    const tasks: Array<Scheduler.Task> = []
    const warnings: Array<string> = []
    const requests: Array<string> = []
    let steps = 0
    let counts = false
    let died = false
    const scheduler: Scheduler.Scheduler = {
      shouldYield: (fiber) => (fiber.currentOpCount > 2048 ? 0 : false),
      scheduleTask: (task) => void tasks.push(task)
    }
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel._tag === "Warning") warnings.push(String(message))
    })
    // The program starts in a new step. The finalizers of the layers are not counted.
    const counted = Effect.sync(() => {
      counts = true
    }).pipe(
      Effect.andThen(Effect.yieldNow()),
      Effect.andThen(program),
      Effect.onExit(() =>
        Effect.sync(() => {
          counts = false
        })
      )
    )
    const fiber = Effect.runFork(
      Layer.build(services).pipe(
        Effect.flatMap((context) => Effect.provide(counted, context)),
        Effect.scoped,
        Effect.provideService(
          HttpClient.HttpClient,
          network((request) => void requests.push(request))
        ),
        Effect.withClock(time.clock),
        Effect.withRandom(Random.make("client")),
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      ),
      { scheduler }
    )
    let exit: Ended<never, never>["exit"] | Exit.Exit<unknown, unknown>
    fiber.addObserver((ended) => {
      exit = ended
    })
    /** Called before each step. */
    const countStep = (): void => {
      if (!counts || died || steps++ !== dieAfter) return
      died = true
      fiber.unsafeInterruptAsFork(FiberId.none)
    }
    for (let turns = 0; turns < 100_000 && exit === undefined; turns++) {
      for (let i = 0; i < tasks.length && exit === undefined; i++) {
        countStep()
        tasks[i]?.()
      }
      tasks.length = 0
      if (exit !== undefined) break
      if (busy > 0 || turns % 2 === 0) {
        await turn()
        continue
      }
      // A death while the process waits, with requests still in transit.
      countStep()
      if (tasks.length === 0 && !time.wakeNext()) throw new Error("the program is deadlocked")
    }
    return { exit: exit as never, died, warnings, requests }
  }

  const settle = async () => {
    for (let i = 0; i < 1000 && inFlight > 0; i++) {
      await turn()
      if (busy === 0) time.wakeNext()
    }
  }

  const look: World["look"] = (effect) => Effect.runPromise(onService(effect))
  return { sandbox, look, settle, process }
}
