export * as Manilla from "./Manilla.js"
export * as Token from "./Token.js"
export * as TokenApi from "./TokenApi.js"
