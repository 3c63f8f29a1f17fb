import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { payOver } from "./manilla.js"

await payOver(NodeHttpClient.layer)
