/** The columns that the file of a payroll must have. */
export const columns = [
  "employee",
  "amount",
  "currency",
  "country",
  "payment_method",
  "phone"
] as const
