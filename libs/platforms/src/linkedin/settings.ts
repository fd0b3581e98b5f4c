/** Where LinkedIn is. `version` is that of its API, which lives for about a year; `webUrl` is the site that shows its posts. */
export const LINKEDIN_SETTINGS = {
  authorizeUrl: 'https://www.linkedin.com/oauth/v2/authorization',
  tokenUrl: 'https://www.linkedin.com/oauth/v2/accessToken',
  apiUrl: 'https://api.linkedin.com',
  webUrl: 'https://www.linkedin.com',
  version: '202609',
  /** An app that may not manage organizations asks for the first three. */
  scopes:
    'openid profile w_member_social w_organization_social r_organization_social rw_organization_admin',
}
