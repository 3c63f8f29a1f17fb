import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Execution from "../../Execution.js"
import type * as Store from "../../Store.js"

/** Says what a statement that failed was for. */
export const failed =
  (operation: string, name?: Store.Name) =>
  <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, Execution.StorageError> =>
    Effect.mapError(
      effect,
      (cause) =>
        new Execution.StorageError({
          operation,
          workflow: name?.workflow,
          businessKey: name?.businessKey,
          cause
        })
    )

/** Words of a statement that the databases do not share. */
export type Words = (postgres: string, sqlite: string) => string

export const wordsOf =
  (sql: SqlClient.SqlClient): Words =>
  (postgres, sqlite) =>
    sql.onDialectOrElse({ sqlite: () => sqlite, orElse: () => postgres })

/** The same, in a statement. */
export const dialect =
  (sql: SqlClient.SqlClient) =>
  (...words: Parameters<Words>) =>
    sql.literal(wordsOf(sql)(...words))

/** The condition for a part of a filter: none for a part that is left out. */
export const given = <A>(
  part: A | undefined,
  condition: (part: A) => Fragment
): ReadonlyArray<Fragment> => (part === undefined ? [] : [condition(part)])

/** The types of the columns of a table, such as `BIGINT NOT NULL`. */
type Columns = Readonly<Record<string, string>>

/** A row of a table with these columns. */
export type Row<Of extends Columns> = {
  readonly [Name in keyof Of]:
    | (Of[Name] extends `TEXT${string}` ? string : number)
    | (Of[Name] extends `${string} NOT NULL${string}` ? never : null)
}

/** Columns as `CREATE TABLE` declares them. */
export const declarations = (columns: Columns) =>
  Object.entries(columns).map(([name, type]) => `${name} ${type}`)

/** Makes a table of rows in a statement: both databases read JSON. A column that a row does not have is null. */
export const tableOf = (sql: SqlClient.SqlClient, columns: Columns) => {
  const members = sql.csv(Object.keys(columns).map((name) => `value->>'${name}' AS ${name}`))
  const types = sql.csv(declarations(columns).map((column) => column.replace(/ NOT NULL.*/, "")))
  return (name: string, rows: ReadonlyArray<object>) => {
    const json = JSON.stringify(rows)
    return sql.onDialectOrElse({
      sqlite: () => sql`(SELECT ${members} FROM json_each(${json})) AS ${sql.literal(name)}`,
      orElse: () => sql`json_to_recordset(${json}::json) AS ${sql.literal(name)}(${types})`
    })
  }
}
