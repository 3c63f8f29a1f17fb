import { open, type Orders } from "../checkout/orders.js"
import { look, pay } from "../checkout/pay.js"

let orders: Promise<Orders> | undefined

/** Opened by the first request: `next build` runs without your database. */
const store = () => (orders ??= open("orders.db"))

interface Context {
  readonly params: Promise<{ readonly id: string }>
}

export const POST = async (request: Request, { params }: Context): Promise<Response> => {
  const { body, status } = await pay(await store(), (await params).id, await request.json())
  return Response.json(body, { status })
}

export const GET = async (_: Request, { params }: Context): Promise<Response> => {
  const { body, status } = await look(await store(), (await params).id)
  return Response.json(body, { status })
}
