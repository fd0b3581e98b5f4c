import { unavailable } from '@herald/contracts/errors'
import type { ROUTES } from '@herald/contracts/http'
import type { Endpoint } from './endpoint.ts'

/** `GET /me`: what the look-up of the key and the counting of this request already told. */
export const getMe: Endpoint<typeof ROUTES.getMe> = async ({ organization, key, quota }) => {
  if (!quota) throw unavailable()
  return { organization, key, quota }
}
