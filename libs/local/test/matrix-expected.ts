import type { Platform } from '@herald/contracts/platforms'
import type { Row } from './matrix-cells.ts'

/** What must come of each row on each platform. */
export const EXPECTED: Record<Row, Partial<Record<Platform, string>>> = {
  text: {},
  image: {},
  images: {},
  video: {},
  document: {},
  'image and video': {},
  'image and document': {},
  'too long': {},
  'missing field': {},
  'expired token': {},
  'revoked grant': {},
  'rate limit': {},
  'processing failure': {},
  drop_before: {},
  drop_after: {},
  hang_after: {},
  error_before: {},
  error_after: {},
  malformed: {},
  slow: {},
}
