/** The examples: what each of them shows, its faults and its programs, which are in the folder `examples`. */
export interface Example {
  /** The name of its faults, if it has some. */
  readonly name: string
  /** The name of its programs, unless it is the same. */
  readonly program?: string
  readonly title: string
  readonly text: string
}

/** Who writes the program: one with promises, or one with Effect. */
export const tabs = ["Promises", "Effect"] as const
export type Tab = (typeof tabs)[number]

const files = import.meta.glob<string>("./examples/*.ts", {
  eager: true,
  query: "?raw",
  import: "default"
})

/** The program of an example, with the faults below its imports. */
export const codeOf = ({ name, program = name }: Example, tab: Tab): string => {
  const code = files[`./examples/${program}.${tab.toLowerCase()}.ts`] ?? ""
  const faults = files[`./examples/${name}.faults.ts`]
  return faults === undefined ? code : code.replace("\n\n", `\n${faults}\n`)
}

export const examples: readonly [Example, ...ReadonlyArray<Example>] = [
  {
    name: "lost-response",
    program: "collect",
    title: "A lost response",
    text: "The service makes the payment, but two responses are lost. Manilla sends the same request three times, with the same key. The service knows the key, so it makes one payment."
  },
  {
    name: "all-is-well",
    program: "collect",
    title: "All is well",
    text: "One request makes the payment. Then Manilla reads it until it is completed, because there are no webhooks."
  },
  {
    name: "two-503s",
    program: "collect",
    title: "Two 503s",
    text: "The service never sees the first two requests. Manilla tries again after a pause, which the second response makes 2 seconds long. The third request makes the payment."
  },
  {
    name: "another-amount",
    title: "The same key, another amount",
    text: "A key belongs to one request. The second request has another amount and the same key, so the service refuses it. The first payment stays as it is."
  },
  {
    name: "link-without-key",
    title: "A link without a key",
    text: "The interface defines no key for payment links. When the response is lost, a second request could make a second link, so Manilla does not send one. It says that the outcome is unknown. One link was made."
  },
  {
    name: "expired-token",
    title: "A token that expires",
    text: "Three requests are refused with 401, because their token has expired. Manilla obtains one new token for all three, and sends each of them again with its own key. Three payments are made."
  },
  {
    name: "caught-fault",
    title: "A checkout that charges twice",
    text: "A checkout makes a new key for each press of the buyer. It works while nothing fails. Prove runs it again with a fault: here the process dies when the service has made the payment. The buyer presses again, and pays again. The ledger shows it."
  },
  {
    name: "payroll",
    title: "A payroll of 20 with faults",
    text: "Requests and responses are lost at random, four payouts at a time. Each employee has a key, so each of them is paid once: 20 payouts are made. The program does not wait for their end, so most of them are still PENDING when it ends: the service completes them later, and disburse would wait for that."
  }
]
