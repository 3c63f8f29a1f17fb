import { Promises } from "@manilla/promises"
import { take } from "./orders.js"
import { pay } from "./pay.js"

let connection: Promise<Promises.Promises> | undefined

/** One for the process, made by the first request: `next build` runs without your settings. */
const connect = () => (connection ??= Promises.make())

interface Context {
  readonly params: Promise<{ readonly id: string }>
}

export const POST = async (_: Request, { params }: Context): Promise<Response> => {
  const { id } = await params
  const order = await take(id)
  if (order === undefined) return Response.json({ message: "No such order." }, { status: 404 })
  const { body, status } = await pay(await connect(), order)
  return Response.json(body, { status })
}
