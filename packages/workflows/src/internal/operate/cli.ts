import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { type Answer, inputs, type Operation, operations, Refused } from "./operations.js"

const described = (options: Options.Options<string>, about: string, variable: string) =>
  options.pipe(
    Options.withDescription(`${about}; by default ${variable}`),
    Options.withFallbackConfig(Config.string(variable)),
    Options.optional
  )

/** The database that the worker uses. A URL with a password is safer in the environment than in a command. */
const database = {
  sqlite: described(Options.text("sqlite"), "the file of the worker", "MANILLA_WORKFLOWS_SQLITE"),
  postgres: described(
    Options.text("postgres"),
    "the URL of the database",
    "MANILLA_WORKFLOWS_POSTGRES"
  )
}

/** Loads a driver, an optional peer. */
export const driver = <A>(packages: string, load: () => Promise<A>) =>
  Effect.tryPromise({ try: load, catch: (cause) => cause }).pipe(
    Effect.catchAll((cause) => {
      if (!Predicate.hasProperty(cause, "code") || cause.code !== "ERR_MODULE_NOT_FOUND") {
        return Effect.die(cause)
      }
      const message = `the driver of this database is not installed: npm install ${packages}`
      return Effect.fail(new Refused({ status: 409, message }))
    })
  )

const drivers = {
  sqlite: driver("@effect/sql @effect/sql-libsql", () => import("@manilla/workflow-engine/sqlite")),
  postgres: driver(
    "@effect/sql @effect/sql-pg pg",
    () => import("@manilla/workflow-engine/postgres")
  )
}

/** Only the driver that is used is loaded. */
const opened = ({
  postgres,
  sqlite
}: Readonly<Record<keyof typeof database, Option.Option<string>>>) =>
  Effect.gen(function* () {
    if (Option.isSome(sqlite) && Option.isNone(postgres)) {
      const { open } = yield* drivers.sqlite
      return yield* open(sqlite.value)
    }
    if (Option.isSome(postgres) && Option.isNone(sqlite)) {
      const { open } = yield* drivers.postgres
      return yield* open(Redacted.make(postgres.value))
    }
    const message = "name one database, with --sqlite FILE or --postgres URL."
    return yield* new Refused({ status: 400, message })
  })

const cell = (value: unknown): string => {
  const text = value === undefined ? "" : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** RFC 4180, with the names of the columns first. */
const csv = (rows: Answer["rows"]) =>
  Stream.mapAccum(rows, true, (isFirst, row) => {
    const line = Object.values(row).map(cell).join(",")
    return [false, isFirst ? `${Object.keys(row).join(",")}\n${line}` : line]
  })

const optionOf = (name: keyof typeof inputs) =>
  (name === "reveal"
    ? Options.map(Options.boolean(name), (is) => (is ? "true" : undefined))
    : Options.map(Options.optional(Options.text(name)), Option.getOrUndefined)
  ).pipe(Options.withDescription(inputs[name]))

const commandOf = (name: string, { about, isTable, run, takes }: Operation) => {
  const given = Object.fromEntries(
    takes.filter((input) => input !== "key").map((input) => [input, optionOf(input)])
  )
  const key = takes.includes("key")
    ? { key: Args.withDescription(Args.text({ name: "key" }), inputs.key) }
    : {}
  return Command.make(
    name,
    {
      database,
      json: Options.withDescription(Options.boolean("json"), "print a line of JSON for each row"),
      table: isTable
        ? {
            csv: Options.withDescription(
              Options.boolean("csv"),
              "print CSV, unless --json is given too"
            )
          }
        : {},
      given: { ...given, ...key }
    },
    ({ database, given, json, table }) =>
      Effect.gen(function* () {
        const { rows, text } = yield* run(yield* opened(database), given)
        const lines = json
          ? Stream.map(rows, (row) => JSON.stringify(row))
          : "csv" in table && table.csv
            ? csv(rows)
            : text
        yield* Stream.runForEach(lines, (line) => Console.log(line))
      }).pipe(Effect.scoped)
  ).pipe(Command.withDescription(about))
}

const [first, ...others] = Record.toEntries(operations).map(([name, operation]) =>
  commandOf(name, operation)
)

/** Looks inside a database of workflows, and operates them. It runs no workflow, and sends nothing. */
export const command = Command.make("manilla-workflows").pipe(
  Command.withDescription(
    "Looks at workflows, and operates them, beside the processes that run them."
  ),
  Command.withSubcommands(first === undefined ? [Command.make("none")] : [first, ...others])
)
