/** The business operations of the kill test, the same in every life of the worker. */
import type * as Batch from "@manilla/workflows/Batch"
import type * as CollectPayment from "@manilla/workflows/CollectPayment"
import type * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import type * as IssueCard from "@manilla/workflows/IssueCard"
import { payment } from "../../test/utils/world.js"

/** How to use the service. */
export interface Credentials {
  readonly baseUrl: string
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** How to use the service, and what it knows. */
export interface Access extends Credentials {
  readonly wallet: string
  readonly cardholder: string
}

/** An engine of ours. */
export type OwnEngine =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string; readonly expirationSeconds: number }

/** An engine of others. */
export interface OtherEngine {
  readonly kind: "other"
  /** Its database, or its server. */
  readonly url: string
  /** The number of the runner, the same in each of its lives. */
  readonly runner: number
}

export interface Settings<Engine = OwnEngine | OtherEngine> extends Access {
  readonly engine: Engine
  /** If given, each job is a batch of so many payouts. */
  readonly itemsPerBatch?: number | undefined
  /** Where the worker reports its health. */
  readonly healthPort?: number | undefined
  /** Whether it resumes executions that are parked, as an operator does. */
  readonly resumes?: boolean | undefined
  /** The first and the last number of the operations. */
  readonly from: number
  readonly to: number
}

type RequestOf<W extends { readonly payloadSchema: { readonly Type: object } }> = Omit<
  W["payloadSchema"]["Type"],
  "key"
>

export type Job = { readonly businessKey: string } & (
  | { readonly kind: "payment"; readonly request: RequestOf<typeof CollectPayment.workflow> }
  | { readonly kind: "payout"; readonly request: RequestOf<typeof DisbursePayout.workflow> }
  | { readonly kind: "card"; readonly request: RequestOf<typeof IssueCard.workflow> }
  | { readonly kind: "batch"; readonly items: ReadonlyArray<Batch.Item> }
)

/** The keys under which the service hears of a job: one for each movement of money. */
export const keysOf = (job: Job): ReadonlyArray<string> =>
  job.kind === "batch"
    ? job.items.map(({ key }) => `PayoutBatch:${job.businessKey}:${key}`)
    : [job.businessKey]

const payoutFrom = (wallet: string) => ({
  wallet_id: wallet,
  amount: "1000",
  currency: "XOF",
  country: "BJ",
  payment_method: "mtn_momo",
  destination: "+2290161234567"
})

export const jobs = ({
  cardholder,
  from,
  itemsPerBatch,
  to,
  wallet
}: Pick<Settings, "cardholder" | "from" | "itemsPerBatch" | "to" | "wallet">): ReadonlyArray<Job> =>
  Array.from({ length: to - from + 1 }, (_, i): Job => {
    const businessKey = `job-${from + i}`
    if (itemsPerBatch !== undefined) {
      const request = payoutFrom(wallet)
      const items = Array.from({ length: itemsPerBatch }, (_, i) => ({ key: `E${i}`, request }))
      return { businessKey, kind: "batch", items }
    }
    switch ((from + i) % 3) {
      case 0:
        return { businessKey, kind: "payment", request: payment }
      case 1:
        return { businessKey, kind: "payout", request: payoutFrom(wallet) }
      default:
        return {
          businessKey,
          kind: "card",
          request: {
            customer_id: cardholder,
            wallet_id: wallet,
            debit_currency: "XOF",
            initial_balance: "10"
          }
        }
    }
  })
