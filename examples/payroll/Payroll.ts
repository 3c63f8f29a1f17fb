/**
 * Reads the employees from a CSV file and checks every row before the first payment.
 */
import { Amount, Country, Issues, Text } from "@manilla/core"
import { Data, Effect, Either, ParseResult, Schema } from "effect"
import { parse } from "csv-parse/sync"
import { readFileSync } from "node:fs"

/** One wallet pays all salaries, so there is one currency. */
export const currency = "XOF"

const Employee = Schema.Struct({
  employee: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  phone: Text.atMost(32),
  payment_method: Text.atMost(60),
  country: Country.Input,
  currency: Schema.Literal(currency),
  amount: Amount.Input
})

export interface Employee extends Schema.Schema.Type<typeof Employee> {}

/** The salary as an amount, for comparing and adding. */
export const requested = ({ amount }: Employee): Amount.Amount => Amount.Amount.make(amount)

/** The salary of a month as a payout. The metadata is for the reconciliation. */
export const payout = (
  { amount, country, currency, employee, payment_method, phone }: Employee,
  month: string,
  wallet_id: string
) => ({
  wallet_id,
  amount,
  currency,
  country,
  payment_method,
  destination: phone,
  metadata: { payroll: month, employee }
})

/** The file is invalid. Nobody was paid. */
export class InvalidPayroll extends Data.TaggedError("InvalidPayroll")<{
  readonly message: string
}> {}

export const read = (file: URL): Effect.Effect<ReadonlyArray<Employee>, InvalidPayroll> =>
  Effect.gen(function* () {
    const rows = yield* Effect.try({
      try: (): ReadonlyArray<unknown> => parse(readFileSync(file), { columns: true }),
      catch: (cause) => new InvalidPayroll({ message: `The file cannot be read: ${cause}` })
    })
    const [broken, employees] = separate(rows.map(check))
    const twice = employees.filter(
      ({ employee }, i) => employees.findIndex((other) => other.employee === employee) !== i
    )
    const problems = [...broken, ...twice.map(({ employee }) => `${employee} is listed twice`)]
    return problems.length === 0
      ? employees
      : yield* new InvalidPayroll({ message: `Nobody was paid:\n${problems.join("\n")}` })
  })

const decode = ParseResult.decodeUnknownEither(Employee, { errors: "all" })

const check = (row: unknown, index: number): Either.Either<Employee, string> =>
  Either.mapLeft(
    decode(row),
    // Line 1 holds the column names.
    (issue) => `line ${index + 2}: ${Issues.print(Issues.fromParseIssue(issue))}`
  )

const separate = (rows: ReadonlyArray<Either.Either<Employee, string>>) =>
  [
    rows.flatMap((row) => (Either.isLeft(row) ? [row.left] : [])),
    rows.flatMap((row) => (Either.isRight(row) ? [row.right] : []))
  ] as const
