import type { ROUTES } from '@herald/contracts/http'
import type { Endpoint } from './endpoint.ts'

/** `GET /me`: what the look-up of the key already told. */
export const getMe: Endpoint<typeof ROUTES.getMe> = async ({ organization, key }) => ({
  organization,
  key,
})
