import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Arr from "effect/Array"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Stream from "effect/Stream"
import { type Answer, refused } from "./answers.js"
import * as operate from "./operations.js"
import { itemStates, states } from "./states.js"

/** Loads a driver, an optional peer. */
export const driver = <A>(packages: string, load: () => Promise<A>) =>
  Effect.catchAllDefect(Effect.promise(load), (defect) => {
    const isMissing =
      Predicate.hasProperty(defect, "code") && defect.code === "ERR_MODULE_NOT_FOUND"
    const message = `the driver of this database is not installed: npm install ${packages}`
    return isMissing ? refused(409, message) : Effect.die(defect)
  })

const sqlite = Options.text("sqlite").pipe(
  Options.withDescription("the file of the worker; by default MANILLA_WORKFLOWS_SQLITE"),
  Options.withFallbackConfig(Config.string("MANILLA_WORKFLOWS_SQLITE")),
  Options.map((file) => {
    const load = () => import("@manilla/workflow-engine/sqlite")
    return Effect.flatMap(driver("@effect/sql @effect/sql-libsql", load), ({ open }) => open(file))
  }),
  Options.optional
)

/** A URL with a password is safer in the environment than in a command. */
const postgres = Options.redacted("postgres").pipe(
  Options.withDescription("the URL of the database; by default MANILLA_WORKFLOWS_POSTGRES"),
  Options.withFallbackConfig(Config.redacted("MANILLA_WORKFLOWS_POSTGRES")),
  Options.map((url) => {
    const load = () => import("@manilla/workflow-engine/postgres")
    return Effect.flatMap(driver("@effect/sql @effect/sql-pg pg", load), ({ open }) => open(url))
  }),
  Options.optional
)

/** Not `orElse`, which would try the other option after an error in the first. */
const database = Options.map(Options.all([sqlite, postgres]), (databases) => {
  const [one, other] = Arr.getSomes(databases)
  if (one !== undefined && other === undefined) return one
  return refused(400, "name one database, with --sqlite FILE or --postgres URL.")
})

const cell = (value: unknown): string => {
  const text = String(value ?? "")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** RFC 4180, with the names of the columns first. */
const csvLines = (rows: Answer["rows"]) =>
  Stream.mapAccum(rows, true, (isFirst, row) => {
    const line = Object.values(row).map(cell).join(",")
    return [false, isFirst ? `${Object.keys(row).join(",")}\n${line}` : line]
  })

const flag = (name: string, about: string) => Options.withDescription(Options.boolean(name), about)

const text = (name: string, about: string) =>
  Options.text(name).pipe(
    Options.optional,
    Options.map(Option.getOrUndefined),
    Options.withDescription(about)
  )

/** The inputs of all operations, as text. */
const inputs = {
  key: Args.withDescription(Args.text({ name: "key" }), "the key of an execution or of a batch"),
  workflow: text("workflow", "the versioned name of a workflow, such as Manilla/DisbursePayout/2"),
  state: text("state", `${Record.keys(states).join(", ")}; by default open: not ended`),
  limit: text("limit", "the most rows; by default 100"),
  only: text(
    "only",
    `${Record.keys(itemStates).join(", ")}; by default unpaid: ended, and not paid`
  ),
  since: text(
    "since",
    "only those that started at this time or later, such as 2026-11-24T08:00:00Z"
  ),
  before: text("before", "only those that started before this time"),
  failure: text(
    "failure",
    "a part of the failure, such as OutcomeUnknown, in the first 10,000 rows"
  ),
  batches: Options.map(flag("batches", "batches only"), String),
  newest: Options.map(flag("newest", "the newest first"), String),
  item: text("item", "the key of one item"),
  after: text("after", "the number of the last item of the page before"),
  reveal: Options.map(flag("reveal", "also print payloads, results and phone numbers"), String)
}

const commandOf = (name: string, operation: operate.Operation) => {
  const config = {
    database,
    json: flag("json", "print a line of JSON for each row"),
    csv: operation.columns
      ? flag("csv", "print CSV, unless --json is given too")
      : Options.map(Options.none, () => false),
    given: Object.fromEntries(operation.takes.map((input) => [input, inputs[input]]))
  }
  return Command.make(name, config, ({ csv, database, given, json }) =>
    Effect.gen(function* () {
      const { rows, text } = yield* operate.run(yield* database, operation, given)
      const textOrCsv = csv ? csvLines(rows) : text
      const lines = json ? Stream.map(rows, (row) => JSON.stringify(row)) : textOrCsv
      yield* Stream.runForEach(lines, (line) => Console.log(line))
    }).pipe(Effect.scoped)
  ).pipe(Command.withDescription(operation.about))
}

const listed = Record.toEntries(operate.operations)
const width = Math.max(...listed.map(([name]) => name.length))

/** The operations, a line each: those of `@effect/cli` are wider than a terminal. */
export const overview = `manilla-workflows: operates workflows beside the processes that run them

${listed.map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`).join("\n")}

--sqlite FILE or --postgres URL names the database, or the variable MANILLA_WORKFLOWS_SQLITE or
MANILLA_WORKFLOWS_POSTGRES.

  manilla-workflows list --help  lists the options of an operation
  manilla-workflows --version    prints the version`

const [first = Command.make("none"), ...others] = Record.collect(operate.operations, commandOf)

/** Looks inside a database of workflows, and operates them. It runs no workflow, and sends nothing. */
export const command = Command.make("manilla-workflows").pipe(
  Command.withDescription("Operates workflows beside the processes that run them."),
  Command.withSubcommands([first, ...others])
)
