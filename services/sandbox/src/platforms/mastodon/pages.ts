import type { Request, Response } from 'express'
import { sendPage } from '../../html.ts'
import { missingPage, postPage } from '../../post-page.ts'
import { isVisible } from './read-statuses.ts'
import type { Mastodon } from './tables.ts'
import { toLivePost } from './views.ts'

/** The public page of a status. */
export function statusPage(mastodon: Mastodon) {
  return ({ params }: Request, response: Response): void => {
    const status = mastodon.statuses.get(String(params.id))
    const username = mastodon.accounts.get(status?.account ?? '')?.username
    const found = status && username === params.username && isVisible(status, null)
    if (found) sendPage(response, 200, postPage(`@${username}`, toLivePost(mastodon, status)))
    else sendPage(response, 404, missingPage())
  }
}
