import { IdempotencyKey } from "@manilla/core"

// #region derive
export const keyOfOrder = (order: string) => IdempotencyKey.derive("order", order)

export const keyOfSalary = (month: string, employee: string) =>
  IdempotencyKey.derive("salary", month, employee)
// #endregion

// #region again
export const keyOfTry = (order: string, number: number) =>
  number === 1
    ? IdempotencyKey.derive("order", order)
    : IdempotencyKey.derive("order", order, String(number))
// #endregion
