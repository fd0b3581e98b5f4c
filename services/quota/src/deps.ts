import type { Limits } from '@herald/contracts/quota'
import type { Pool } from '@herald/event-store/database'

/** What the operations of the quota service work with. */
export type Deps = {
  pool: Pool
  /** What the organization's plan allows. */
  limitsOf: (organizationId: string) => Promise<Limits>
  /** How long a reserved post may take to be created. */
  reservationSeconds: number
}
