/**
 * Wallets, from which payouts and card fees are debited.
 *
 * @since 0.1.0
 */
import * as Identifier from "./Identifier.js"

/**
 * The id of a wallet, a UUID.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WalletId = Identifier.uuid("WalletId")

/**
 * @since 0.1.0
 * @category models
 */
export type WalletId = typeof WalletId.Type

/**
 * Returns stored text as an id. Throws a `ParseError` if it is not a UUID.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeId = (text: string): WalletId => WalletId.make(text)
